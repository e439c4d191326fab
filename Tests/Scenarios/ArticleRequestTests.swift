import Testing

/// How many requests the built binary sends to store articles, counted by the emulator.
@Suite struct ArticleRequestTests {
  private static let feeds = 300
  private static let fetch = ["articles", "fetch", "--allow-private-addresses", "--format", "json", "--yes"]

  @Test("a first fill, a run with nothing due, and one in which every feed is due keep to their budgets")
  func budgets() async throws {
    try await withLoopbackFeeds(Self.feeds) { tool, _ in
      let first = try await counted(tool, Self.fetch)
      let articles = try #require(first.result["articles"] as? [String: Any])
      let items = try #require(articles["new"] as? Int)
      #expect(first.result["healthy"] as? Int == Self.feeds && items > Self.feeds)
      // Feeds and their state; the names of the items; their guids, 150 in a query; whether feeds without a state have
      // articles.
      let reads = 2 * pages(Self.feeds) + pages(items) + (items + 149) / 150 + (Self.feeds + 149) / 150
      // Articles, FeedMetadata, and lastVerified of the feeds.
      let writes = pages(items) + 2 * pages(Self.feeds)
      // What waits is written once a second, in requests that are not full: of names, guids, articles, states and feeds.
      #expect(
        Double(first.requests) <= 1.05 * Double(reads + writes) + 10 + 5 * first.seconds, "\(first)")

      let idle = try await counted(tool, Self.fetch)
      #expect(idle.result["checked"] as? Int == 0)
      // The run before has changed each feed.
      #expect(idle.requests <= 9 + 2 * pages(Self.feeds), "\(idle.requests)")

      var later = tool
      later.environment["CELESTRA_ADMIN_CLOCK"] = "2026-02-03T05:05:06Z"
      let due = try await counted(later, Self.fetch)
      #expect(due.result["checked"] as? Int == Self.feeds && due.result["readOnlyDue"] as? Bool == true)
      let budget = 2 * pages(Self.feeds) + pages(Self.feeds)
      #expect(Double(due.requests) <= 1.05 * Double(budget) + 10 + 5 * due.seconds, "\(due)")
    }
  }

  private func pages(_ count: Int) -> Int { (count + 199) / 200 }

  private func counted(_ tool: Tool, _ words: [String]) async throws
    -> (result: [String: Any], requests: Int, seconds: Double)
  {
    let began = ContinuousClock.now
    let (outcome, log) = try await withEmulator(
      for: tool, file: "container.sqlite", options: ["--verbose"]
    ) { tool in try await tool.run(words) }
    #expect(outcome.status == 0, "\(outcome.err)")
    return (
      try outcome.result(), log.split(separator: "\n").count { $0.contains("/database/1/") },
      ((ContinuousClock.now - began) / .seconds(1)).rounded(.down)
    )
  }
}
