import Foundation
import Testing

/// Work trees that belong to another user, as in a container that mounts a checkout.
@Suite("The owner of a git repository") struct GitOwnershipTests {
  @Test(
    "the repository of another user is read only if the user's own safe.directory names it",
    .enabled(if: geteuid() == 0, "only root can give files to another user"))
  func otherUser() async throws {
    try await withScratchFolder { folder in
      let maker = Tool(directory: folder)
      let made = try await maker.make(
        """
        mkdir clone; cp -R seeds schema clone; cd clone; git init -q .; git add -A; git commit -qm one
        git config safe.directory '*'; chown -R 65534 .git; cd ..
        celestra-admin container init --schema schema/celestra.ckdb -q --container local:c.sqlite
        """)
      try #require(made.status == 0, "\(made.err)")
      let tool = Tool(
        directory: "\(folder)/clone",
        environment: ["HOME": folder, "CELESTRA_ADMIN_CONTAINER": "local:\(folder)/c.sqlite"])
      let compare = [
        "schema", "diff", "git:HEAD:schema/celestra.ckdb", "schema/celestra.ckdb", "--exit-code",
      ]
      let hint = "git config --global --add safe.directory"

      let refused = try await tool.run(compare)
      #expect(refused.status == 1 && refused.err.contains("belongs to another user"), "\(refused.err)")
      #expect(refused.err.contains(hint), "\(refused.err)")
      let untrusted = try await tool.run(["seed", "apply", "--yes"])
      #expect(untrusted.status == 0 && untrusted.err.contains(hint), "\(untrusted.err)")
      let unknown = try await tool.run(["seed", "pull", "--dry-run", "--format", "json"])
      #expect(unknown.status == 0 && !unknown.out.contains("\"base\""), "\(unknown.out)")

      let trusted = try await maker.shell("git config --global --add safe.directory \"$PWD/clone\"")
      #expect(trusted.status == 0)
      #expect(try await tool.run(compare).status == 0)
      let applied = try await tool.run(["seed", "apply", "--yes"])
      #expect(applied.status == 0 && !applied.err.contains("another user"), "\(applied.err)")
      let known = try await tool.run(["seed", "pull", "--dry-run", "--format", "json"])
      #expect(known.status == 0 && known.out.contains("\"base\""), "\(known.out)\(known.err)")
    }
  }
}
