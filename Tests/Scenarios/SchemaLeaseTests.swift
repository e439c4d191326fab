import Foundation
import Testing

/// `schema apply` beside runs that write records.
@Suite("Importing a schema beside other runs") struct SchemaLeaseTests {
  private static let apply = ["schema", "apply", "more.ckdb", "--yes"]

  /// A container with the project's schema, and a file with one field more.
  private func withContainer(_ body: (Tool, ContainerFile) async throws -> Void) async throws {
    try await withProjectFolder { tool in
      try await tool.succeed("container", "init", "--schema", "schema/celestra.ckdb")
      let schema = try String(contentsOfFile: "\(tool.directory)/schema/celestra.ckdb", encoding: .utf8)
      let wider = schema.replacing(
        "RECORD TYPE FeedCategory (", with: "RECORD TYPE FeedCategory (\n  shelf STRING,")
      try #require(wider != schema)
      try wider.write(toFile: "\(tool.directory)/more.ckdb", atomically: true, encoding: .utf8)
      try await body(tool, ContainerFile(path: "\(tool.directory)/.celestra/container.sqlite"))
    }
  }

  private func isImported(_ tool: Tool) async throws -> Bool {
    try await tool.succeed("schema", "export").out.contains("shelf")
  }

  @Test("while a run on this machine writes the catalog, nothing is imported")
  func locked() async throws {
    try await withContainer { tool, file in
      try await tool.succeed("seed", "apply", "seeds", "--yes")
      let lock = open("\(tool.directory)/.celestra/lock", O_RDWR | O_CLOEXEC)
      try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
      let refused = try await tool.run(Self.apply)
      #expect(refused.status == 6 && refused.err.contains("another run"), "\(refused.err)")
      #expect(try await !isImported(tool))
      close(lock)
      #expect(try await tool.run(Self.apply).status == 0)
      #expect(try await isImported(tool))
      #expect(try file.heldLeases() == 0)
    }
  }

  @Test("the lease of a run elsewhere is waited for, broken on demand, and taken by none that only plans")
  func leased() async throws {
    try await withContainer { tool, file in
      try await tool.succeed("seed", "apply", "seeds", "--yes")
      func holdLease() throws {
        try file.execute("UPDATE AdminLease SET expiresAt = 9000000000000000, holder = 'elsewhere'")
      }
      try holdLease()
      for words in [["schema", "plan", "more.ckdb"], Self.apply + ["--dry-run"]] {
        let planned = try await tool.run(words)
        #expect(planned.status == 0 && !planned.err.contains("lease"), "\(planned.err)")
      }
      #expect(try file.heldLeases() == 1)
      var impatient = tool
      impatient.environment["CELESTRA_ADMIN_LEASE_LIFETIME"] = "1s"
      let waited = try await impatient.run(Self.apply)
      #expect(waited.status == 0 && waited.err.contains("Another run holds the lease (seed"), "\(waited.err)")
      #expect(try await isImported(tool))
      #expect(try file.heldLeases() == 0)
      try holdLease()
      let broken = try await tool.run(
        ["schema", "apply", "schema/celestra.ckdb", "--yes", "--break-lease", "--accept-risk", "data-loss"])
      #expect(broken.status == 0 && !broken.err.contains("Another run"), "\(broken.err)")
      #expect(try await !isImported(tool))
    }
  }

  @Test("while a run of any job writes, development is not reset, and its lease is not deleted")
  func reset() async throws {
    try await withContainer { tool, file in
      let reset = ["schema", "reset", "--yes", "--accept-risk", "data-loss"]
      try await tool.succeed("seed", "apply", "seeds", "--yes")
      let lock = open("\(tool.directory)/.celestra/lock-health", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
      let refused = try await tool.run(reset)
      #expect(refused.status == 6 && refused.err.contains("another run"), "\(refused.err)")
      close(lock)
      #expect(try await tool.succeed("schema", "export").out.contains("AdminLease"))

      let hold = "UPDATE AdminLease SET expiresAt = 9000000000000000, holder = 'elsewhere'"
      try file.execute(hold)
      for rest in [["--dry-run"], ["--yes"]] {
        let kept = try await tool.run(["records", "delete", "lease-seed"] + rest)
        #expect(kept.status == 6 && kept.err.contains("a run (seed, run elsewhere)"), "\(kept.err)")
      }
      #expect(try file.heldLeases() == 1)
      try await tool.succeed("records", "delete", "lease-seed", "--yes", "--break-lease")

      try await tool.succeed("seed", "apply", "seeds", "--yes")
      try file.execute(hold)
      var impatient = tool
      impatient.environment["CELESTRA_ADMIN_LEASE_LIFETIME"] = "1s"
      let waited = try await impatient.run(reset)
      #expect(waited.status == 0 && waited.err.contains("Another run holds the lease (seed"), "\(waited.err)")
      #expect(!waited.err.contains("warning"), "\(waited.err)")
      #expect(try await !tool.succeed("schema", "export").out.contains("AdminLease"))
    }
  }

  @Test("a management token without a key for records imports without a lease, and says so")
  func tokenOnly() async throws {
    try await withContainer { tool, _ in
      try await withEmulator(for: tool, file: "served.sqlite") { tool in
        let withKey = try await tool.run(Self.apply)
        #expect(withKey.status == 0 && !withKey.err.contains("may overlap"), "\(withKey.err)")
        var tokenOnly = tool
        tokenOnly.environment["CLOUDKIT_KEY_ID"] = nil
        tokenOnly.environment["CLOUDKIT_PRIVATE_KEY_PATH"] = nil
        let applied = try await tokenOnly.run(
          ["schema", "apply", "schema/celestra.ckdb", "--yes", "--accept-risk", "data-loss"])
        #expect(applied.status == 0, "\(applied.err)")
        #expect(applied.err.contains("runs on several machines may overlap: no key id"), "\(applied.err)")
      }
    }
  }
}
