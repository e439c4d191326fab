import Foundation
import Testing

/// `container backup` of a service can be killed anywhere.
@Suite(.serialized) struct MirrorKillTests {
  private static let backup = ["container", "backup", "mirror.sqlite"]

  @Test(
    "a killed first copy says that it is incomplete and goes on; a killed later run leaves the last state readable"
  )
  func killed() async throws {
    try await withScratchFolder { folder in
      try LargeSeeds.write(to: "\(folder)/large")
      let local = Tool(directory: folder)
      let schema = projectRoot.appending(path: "schema/celestra.ckdb").path
      try await local.succeed("container", "init", "--schema", schema)
      try await local.succeed("seed", "apply", "large", "--yes")
      var mirror = local
      mirror.environment["CELESTRA_ADMIN_CONTAINER"] = "local:mirror.sqlite"
      let before = try await ExportedRecords(of: local)
      let options = ["--page-size", "10", "--latency", "3"]
      try await withEmulator(for: local, file: ".celestra/container.sqlite", options: options) { tool in
        var tool = tool
        tool.environment["CELESTRA_ADMIN_RECORDS_SETTLE"] = "0s"
        try await kill(tool, seed: 1) {
          guard FileManager.default.fileExists(atPath: "\(folder)/mirror.sqlite") else { return }
          let found = try await mirror.succeed("records", "export")
          guard !found.out.isEmpty, !found.err.contains("incomplete") else { return }
          #expect(try await ExportedRecords(of: mirror) == before, "\(found.err)")
        }
        try await tool.succeed("container", "backup", "mirror.sqlite")
        #expect(try await ExportedRecords(of: mirror) == before)

        let feeds = try await local.succeed("records", "export", "PublicFeed").out
        try feeds.replacing("\"Feed 1", with: "\"Renamed 1")
          .write(toFile: "\(folder)/changed.jsonl", atomically: true, encoding: .utf8)
        try await tool.succeed("records", "import", "changed.jsonl", "--yes")
        let after = try await ExportedRecords(of: tool)
        try await kill(tool, seed: 2, more: ["--deletions"]) {
          let state = try await ExportedRecords(of: mirror)
          #expect(state == before || state == after)
        }
        try await tool.succeed("container", "backup", "mirror.sqlite", "--deletions")
        #expect(try await ExportedRecords(of: mirror) == after)
      }
      let guide = try String(
        contentsOf: projectRoot.appending(path: "Documentation/Operators.md"), encoding: .utf8)
      let queries = try #require(guide.firstMatch(of: /```sql\n(?<sql>[^`]*)```/)).output.sql
      let answers = try await local.shell("sqlite3 -bail mirror.sqlite", stdin: String(queries))
      #expect(answers.status == 0 && answers.out.contains("News|\(LargeSeeds.feeds)"), "\(answers.err)")
    }
  }

  /// Kills runs at random moments until one ends before its kill.
  private func kill(
    _ tool: Tool, seed: UInt64, more: [String] = [], _ check: () async throws -> Void
  ) async throws {
    var moments = KillMoments(seed: seed)
    for _ in 0..<8 where try await moments.kill(tool, Self.backup + more) { try await check() }
    #expect(moments.cut > 0)
  }
}
