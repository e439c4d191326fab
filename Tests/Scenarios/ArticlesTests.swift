import Testing

/// The whole life of articles with the built binary and feeds served on loopback.
@Suite struct ArticlesTests {
  private static let fetch = [
    "articles", "fetch", "--allow-private-addresses", "--format", "json", "--force",
  ]

  @Test("feeds are fetched, their articles listed and found by a word, kept while they last, and purged")
  func life() async throws {
    try await withLoopbackFeeds(12) { tool, _ in
      let first = try await tool.json(Self.fetch)
      let stored = try #require((first["articles"] as? [String: Any])?["new"] as? Int)
      #expect(stored > 100 && (first["articles"] as? [String: Any])?["written"] as? Int == stored)
      let again = try await tool.json(Self.fetch)
      #expect((again["articles"] as? [String: Any])?["written"] as? Int == 0)

      let listed = try await tool.json(["articles", "list", "--feed", "feed-1", "--format", "json"])
      let articles = try #require(listed["articles"] as? [[String: Any]])
      #expect(!articles.isEmpty && articles.allSatisfy { $0["feed"] as? String == "feed-1" })
      let word = try await tool.json(["articles", "search", "gardens", "--format", "json"])
      #expect((word["articles"] as? [Any])?.isEmpty == false)
      let none = try await tool.json(["articles", "search", "xylophone", "--format", "json"])
      #expect(none["unmatched"] as? [String] == ["xylophone"])

      let purge = ["articles", "purge", "--yes", "--accept-risk", "data-loss", "--format", "json"]
      #expect(try await tool.json(purge)["expired"] as? Int == 0)
      var later = tool
      later.environment["CELESTRA_ADMIN_CLOCK"] = "2026-12-31T00:00:00Z"
      #expect(try await later.json(purge)["deleted"] as? Int == stored)
      #expect(
        try await later.json(Self.fetch)["articles"].map { ($0 as? [String: Any])?["new"] as? Int } == 0)
    }
  }

  @Test("health check stores articles only if the setting says so")
  func setting() async throws {
    try await withLoopbackFeeds(12) { tool, _ in
      let check = ["health", "check", "--allow-private-addresses", "--force", "--format", "json"]
      #expect(try await tool.json(check)["articles"] == nil)
      var storing = tool
      storing.environment["CELESTRA_ADMIN_ARTICLES_STORE"] = "full"
      let counts = try #require(try await storing.json(check)["articles"] as? [String: Any])
      #expect(counts["written"] as? Int ?? 0 > 100)
      storing.environment["CELESTRA_ADMIN_ARTICLES_STORE"] = "all"
      #expect(try await storing.run(check).status == 64)
    }
  }
}
