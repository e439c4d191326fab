import ContainerFaults
import Foundation
import Testing

/// Containers in a folder that somebody else filled, such as a clone.
@Suite("Containers from elsewhere") struct HostileContainerTests {
  private static let commands = [
    "container info", "container info --check", "container verify --fix --yes",
    "container backup copy.sqlite",
    "container init --schema schema/celestra.ckdb", "container restore good.sqlite --yes",
    "records count PublicFeed", "records export", "schema export", "schema apply schema/celestra.ckdb --yes",
    "schema reset --yes --accept-risk data-loss", "seed plan seeds", "seed apply seeds --yes", "status",
    "recount subscribers", "container fill --users 1 --per-user 1", "console", "console --read-only",
  ]
  private static let elsewhere = [
    "container restore .celestra/container.sqlite --container local:good.sqlite --yes",
    "container restore .celestra/container.sqlite --container local:good.sqlite --dry-run",
    "emulator serve --schema schema/celestra.ckdb --container-file .celestra/container.sqlite",
    "emulator serve --console --schema schema/celestra.ckdb --container-file .celestra/container.sqlite",
    "emulator exec --schema schema/celestra.ckdb --container-file .celestra/container.sqlite -- true",
    "container info --container local:.celestra/../.celestra/container.sqlite",
  ]

  /// One command for each way to open a container: for reading, for writing, to restore from, and to serve.
  private static let ways = [
    commands[0], "seed apply seeds --yes", elsewhere[0], elsewhere[2],
  ]

  /// Runs commands that open a container. One that does not refuse serves until its time is over.
  private func expectRefusals(_ tool: Tool, of commands: [String], saying what: String) async throws {
    for words in commands {
      let outcome = try await tool.shell("timeout 20 celestra-admin \(words)")
      #expect(outcome.status == 1 && outcome.err.contains(what), "\(words): \(outcome.status) \(outcome.err)")
    }
  }

  private func withContainer(_ body: (Tool, _ path: String) async throws -> Void) async throws {
    try await withProjectFolder { tool in
      try await tool.succeed("container", "init", "--schema", "schema/celestra.ckdb")
      try await tool.succeed("seed", "apply", "seeds", "--yes")
      try await tool.succeed("container", "backup", "good.sqlite")
      try await body(tool, "\(tool.directory)/.celestra/container.sqlite")
    }
  }

  @Test("a journal in a clone deletes no file, whatever command opens the container")
  func hotJournal() async throws {
    try await withContainer { tool, path in
      let target = "\(tool.directory)/precious"
      try Data("kept".utf8).write(to: URL(filePath: target))
      try ContainerFile(path: path).gather()
      try HotJournal.write(beside: path, naming: target)
      let journal = try Data(contentsOf: URL(filePath: path + "-journal"))
      try await expectRefusals(
        tool, of: Self.commands + Self.elsewhere, saying: "container.sqlite-journal is not empty")
      #expect(FileManager.default.fileExists(atPath: target))
      #expect(try Data(contentsOf: URL(filePath: path + "-journal")) == journal)
    }
  }

  @Test("a link beside the container is refused, and what it names stays as it was")
  func links() async throws {
    try await withContainer { tool, path in
      let target = "\(tool.directory)/precious"
      try Data("kept".utf8).write(to: URL(filePath: target))
      try ContainerFile(path: path).gather()
      for suffix in ["-wal", "-shm", "-journal"] {
        try? FileManager.default.removeItem(atPath: path + suffix)  // SQLite may have removed it.
        try FileManager.default.createSymbolicLink(atPath: path + suffix, withDestinationPath: target)
        try await expectRefusals(tool, of: Self.ways, saying: "container.sqlite\(suffix) is a link")
        try FileManager.default.removeItem(atPath: path + suffix)
      }
      #expect(try String(contentsOfFile: target, encoding: .utf8) == "kept")
      try await tool.succeed("container", "info", "--check")
    }
  }

  @Test("a container that every user may write is refused; one that the group may write works with a warning")
  func modes() async throws {
    try await withContainer { tool, path in
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
      try await expectRefusals(
        tool, of: Self.ways, saying: "container.sqlite is not safe: every user may write to it")
      try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: path)
      let noted = try await tool.run(["container", "info"])
      #expect(noted.status == 0 && noted.err.contains("warning: the group of"), "\(noted.err)")
      let emulated = try await tool.shell("celestra-admin \(Self.elsewhere[4])")
      #expect(emulated.status == 0 && emulated.err.contains("warning: the group of"), "\(emulated.err)")
    }
  }

  @Test(
    "root works in a folder of another user, as with a volume of Docker, and refuses that user's file elsewhere"
  )
  func foreignFolder() async throws {
    guard geteuid() == 0 else { return }
    try await withContainer { tool, path in
      // The state folder has a rule of its own, so the container is named.
      let tool = tool.on(file: "data/c.sqlite")
      let moved = try await tool.shell(
        "mkdir data && cp .celestra/container.sqlite data/c.sqlite && chown -R 1234 data")
      #expect(moved.status == 0)
      try await tool.succeed("container", "info")
      try await tool.succeed("seed", "apply", "seeds", "--yes", "--container", "local:data/c.sqlite")
      try await tool.succeed("container", "backup", "data/copy.sqlite")
      #expect(try await tool.shell("chown 0 data").status == 0)
      let refused = try await tool.run(["container", "info"])
      #expect(
        refused.status == 1 && refused.err.contains("data/c.sqlite belongs to another user (1234)"),
        "\(refused.err)")
    }
  }

  @Test(
    "a container whose creation is killed at any moment is complete or missing, and never needs a journal")
  func killedCreation() async throws {
    try await withProjectFolder { tool in
      for milliseconds in stride(from: 2, through: 60, by: 2) {
        let name = "killed-\(milliseconds).sqlite"
        _ = try await tool.on(file: name).runAndKill(
          ["container", "init", "--schema", "schema/celestra.ckdb"], after: .milliseconds(milliseconds))
        #expect(!FileManager.default.fileExists(atPath: "\(tool.directory)/\(name)-journal"))
        guard FileManager.default.fileExists(atPath: "\(tool.directory)/\(name)") else { continue }
        let info = try await tool.on(file: name).run(["container", "info", "--check"])
        #expect(info.status == 0, "\(milliseconds) ms: \(info.err)")
        try await tool.on(file: name).succeed("container", "init", "--schema", "schema/celestra.ckdb")
      }
    }
  }
}
