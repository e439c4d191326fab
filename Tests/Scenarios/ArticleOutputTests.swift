import Foundation
import Testing

/// What operators see of stored articles: in the status, in reports and in metrics, and from one day to the next.
@Suite struct ArticleOutputTests {
  private static let fetch = [
    "articles", "fetch", "--allow-private-addresses", "--format", "json", "--force", "--metrics",
    "fetch.prom",
  ]

  /// A tool some days after the start of a test.
  private func tool(_ tool: Tool, after days: Double) throws -> Tool {
    var later = tool
    later.environment["CELESTRA_ADMIN_CLOCK"] = try Date(Tool.clock, strategy: .iso8601)
      .addingTimeInterval(days * 86_400).ISO8601Format()
    return later
  }

  private func written(_ tool: Tool) async throws -> Int {
    try #require((try await tool.json(Self.fetch)["articles"] as? [String: Any])?["written"] as? Int)
  }

  @Test("status, report and metrics show the articles of the last run and of the last day, in every format")
  func outputs() async throws {
    let feed = ChangingFeed("news", ["1", "2", "3"])
    try await withServedFeeds([feed]) { start in
      #expect(try await written(start) == 3)
      feed.add("4")
      let tool = try tool(start, after: 0.5)
      #expect(try await written(tool) == 1)
      let sentence = "1 article written, 4 in 24 hours by runs for all feeds"
      for words in [
        ["status"], ["status", "--format", "markdown"], ["status", "--format", "html"],
      ] {
        let out = try await tool.succeed(words)
        #expect(out.contains(sentence), "\(words)\n\(out)")
      }
      let status = try await tool.json(["status", "--format", "json"])
      #expect(["articlesWritten", "articlesInDay"].map { status[$0] as? Int } == [1, 4])
      let metrics = try String(contentsOfFile: "\(tool.directory)/fetch.prom", encoding: .utf8)
      #expect(metrics.contains(/celestra_admin_articles_written\{[^}]*\} 1\n/))
      #expect(metrics.contains(/celestra_admin_articles_written_last_day\{[^}]*\} 4\n/))
      // A day later nothing of it was written in the last 24 hours.
      let later = try self.tool(start, after: 2)
      let out = try await later.succeed(["status"])
      #expect(!out.contains("4 in 24 hours") && out.contains("in 24 hours"), "\(out)")
    }
  }

  @Test("states that are not recorded, because articles could not be stored, are listed as remaining")
  func unrecorded() async throws {
    try await withServedFeeds([ChangingFeed("news", ["1", "2", "3"])]) { tool in
      var outcomes: [Tool.Outcome] = []
      // One of these numbers lets the run read its feeds, and refuses the search for their articles.
      for queries in 2...7 {
        let fault = "status,endpoint=records/query,status=403,after=\(queries)"
        let (outcome, _) = try await withEmulator(
          for: tool, file: "container.sqlite", options: ["--fault", fault]
        ) { try await $0.run(Self.fetch) }
        outcomes.append(outcome)
      }
      let stopped = try outcomes.filter { outcome in
        let result = try outcome.result()
        return outcome.status == 4 && result["checked"] as? Int == 0
          && (result["feeds"] as? [Any])?.count == 1
      }
      #expect(!stopped.isEmpty, "\(outcomes)")
      for outcome in stopped {
        let remaining = try outcome.result()["remaining"] as? [[String: Any]] ?? []
        #expect(remaining.contains { $0["recordType"] as? String == "FeedMetadata" }, "\(outcome.out)")
      }
    }
  }

  @Test("purges around the 90th day delete what was stored on each day before")
  func days() async throws {
    let feed = ChangingFeed("news", ["1", "2", "3"])
    try await withServedFeeds([feed]) { start in
      var stored: [Int] = []
      for day in 0..<3 {
        stored.append(try await written(try tool(start, after: Double(day))))
        feed.add("day \(day)")
      }
      #expect(stored == [3, 1, 1])
      var purged: [Int] = []
      for day in [89.5, 90.5, 91.5, 92.5, 93.5] {
        let result = try await tool(start, after: day).json([
          "articles", "purge", "--yes", "--accept-risk", "data-loss", "--format", "json",
        ])
        purged.append(try #require(result["deleted"] as? Int))
      }
      #expect(purged == [0, 3, 1, 1, 0])
    }
  }
}

extension Tool {
  /// What a command that ends well prints.
  fileprivate func succeed(_ words: [String]) async throws -> String {
    let outcome = try await run(words)
    guard outcome.status == 0 else { throw Failed(words: words, outcome: outcome) }
    return outcome.out
  }
}
