import Foundation
import Testing

/// `container restore` beside jobs, and what it leaves to them.
@Suite("Restoring a container") struct RestoreTests {
  private static let backup = ["container", "backup", "before.sqlite"]
  private static let restore = [
    "container", "restore", "before.sqlite", "--yes", "--accept-risk", "data-loss",
  ]

  private func withContainer(_ body: (Tool, ContainerFile) async throws -> Void) async throws {
    try await withProjectFolder { tool in
      try await tool.succeed("container", "init", "--schema", "schema/celestra.ckdb")
      try await tool.succeed("seed", "apply", "seeds", "--yes")
      try await body(tool, ContainerFile(path: "\(tool.directory)/.celestra/container.sqlite"))
    }
  }

  private func count(_ tool: Tool) async throws -> Int? {
    try await tool.run(["records", "count", "PublicFeed", "--format", "json"]).out
      .firstMatch(of: /"count": (\d+)/).flatMap { Int($0.1) }
  }

  @Test(
    "an import and a restore at once: the records are those of the backup, or of the backup and the whole import"
  )
  func duringImport() async throws {
    try await withContainer { tool, file in
      let lines = (0..<2000).map { number in
        #"{"recordType":"PublicFeed","recordName":"extra-\#(number)","fields":{"title":{"type":"STRING","value":"T"}}}"#
      }
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(
        to: URL(filePath: "\(tool.directory)/extra.jsonl"))
      try await tool.run(Self.backup).expectSuccess()
      let before = try #require(try await count(tool))
      for round in 0..<3 {
        var restored: Tool.Outcome?
        let imported = try await tool.run(["records", "import", "extra.jsonl", "--yes"]) { process in
          // The import has begun to write once its lease is held.
          while try file.heldLeases() == 0, !process.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
          restored = try await tool.run(Self.restore)
        }
        let status = try #require(restored?.status)
        let after = try #require(try await count(tool))
        #expect([0, 6].contains(status), "\(restored?.err ?? "")")
        #expect(imported == 0 || imported == 6)
        #expect(imported == 0 || status == 0, "one of them succeeds")
        #expect(after == (status == 6 ? before + 2000 : before), "round \(round): \(imported) \(status)")
        if status == 6 { #expect(restored?.err.contains("another run") == true, "\(restored?.err ?? "")") }
        try await tool.run(Self.restore).expectSuccess()
        #expect(try await count(tool) == before)
      }
    }
  }

  @Test("leases that the backup holds are released in both environments, and no job waits for them")
  func releasedLeases() async throws {
    try await withContainer { tool, file in
      try await tool.succeed("schema", "promote", "--yes", "--accept-risk", "permission-widening")
      try await tool.succeed("seed", "apply", "seeds", "--yes", "--environment", "production")
      for table in ["AdminLease", #""production.AdminLease""#] {
        try file.execute("UPDATE \(table) SET expiresAt = 9000000000000000, holder = 'gone'")
      }
      #expect(try file.heldLeases() > 0)
      try await tool.run(Self.backup).expectSuccess()
      let copy = ContainerFile(path: "\(tool.directory)/before.sqlite")
      try await tool.on(file: "new.sqlite").succeed("container", "restore", "before.sqlite", "--yes")
      let new = ContainerFile(path: "\(tool.directory)/new.sqlite")
      #expect(try new.heldLeases() == 0 && new.heldLeases(in: #""production.AdminLease""#) == 0)
      #expect(try copy.heldLeases() > 0, "the backup stays as it is")
      let applied = try await tool.on(file: "new.sqlite").run(["records", "import", "none.jsonl", "--yes"])
      #expect(!applied.err.contains("Another run holds the lease"), "\(applied.err)")
    }
  }

  @Test(
    "after a restore of an older backup, undo keeps what a colleague wrote with the same number of writes")
  func undoAfterRestore() async throws {
    try await withContainer { tool, _ in
      try await tool.run(Self.backup).expectSuccess()
      func apply(_ title: String) async throws -> Tool.Outcome {
        let line =
          #"{"recordType":"PublicFeed","recordName":"f1","fields":{"title":{"type":"STRING","value":"\#(title)"}}}"#
        return try await tool.run(["records", "import", "-", "--yes"], stdin: line + "\n")
      }
      let first = try await apply("Ours")
      let run = try #require(first.err.firstMatch(of: /undo (\S+)/)?.1)
      try await tool.run(Self.restore).expectSuccess()
      try await apply("Theirs").expectSuccess()
      _ = try await tool.run(["undo", String(run), "--yes"])
      let found = try await tool.run(["records", "get", "f1", "--format", "json"])
      #expect(found.status == 0 && found.out.contains("Theirs"), "\(found.out)\(found.err)")
    }
  }

  @Test("a restored container keeps its id, and a backup has another one")
  func ids() async throws {
    try await withContainer { tool, _ in
      func id(_ file: String) async throws -> (id: Substring, incarnation: Substring) {
        let info = try await tool.on(file: file).run(["container", "info", "--format", "json"])
        let id = info.out.firstMatch(of: /"id": "([-0-9a-f]{36})"/)?.1
        let incarnation = info.out.firstMatch(of: /"incarnation": "([-0-9a-f]{36})"/)?.1
        return (try #require(id), try #require(incarnation))
      }
      let own = try await id(".celestra/container.sqlite")
      try await tool.run(Self.backup).expectSuccess()
      #expect(try await id("before.sqlite").id != own.id)
      try await tool.run(Self.restore).expectSuccess()
      let restored = try await id("\(tool.directory)/.celestra/../.celestra/container.sqlite")
      #expect(restored.id == own.id && restored.incarnation != own.incarnation)
    }
  }
}

extension Tool.Outcome {
  fileprivate func expectSuccess() { #expect(status == 0, "\(out)\(err)") }
}
