import DemoFeeds
import Foundation
import Testing

/// The whole life of articles with the built binary and feeds served on loopback.
@Suite struct ArticlesTests {
  private static let feeds = 12
  private static let fetch = [
    "articles", "fetch", "--allow-private-addresses", "--format", "json", "--force",
  ]

  @Test("feeds are fetched, their articles listed and found by a word, kept while they last, and purged")
  func life() async throws {
    try await withFeeds { tool in
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

      let purge = ["articles", "purge", "--yes", "--format", "json"]
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
    try await withFeeds { tool in
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

  private func withFeeds(_ body: (Tool) async throws -> Void) async throws {
    try await withProjectFolder { tool in
      let slugs = (0..<Self.feeds).map { "feed-\($0)" }
      let table = DemoFeedTable(slugs.map { DemoFeed(slug: $0, behavior: .rss20) })
      let now = try Date(Tool.clock, strategy: .iso8601).timeIntervalSince1970
      let server = try await DemoFeedServer.start(table: table, options: .init(now: Int64(now)))
      do {
        let records = slugs.map { slug in
          #"{"recordType":"PublicFeed","recordName":"\#(slug)","fields":{"#
            + #""feedURL":{"type":"STRING","value":"\#(server.url(of: slug))"}}}"#
        }
        try records.joined(separator: "\n").write(
          toFile: "\(tool.directory)/feeds.jsonl", atomically: true, encoding: .utf8)
        _ = try await tool.makeContainer("container.sqlite")
        let tool = tool.on(file: "container.sqlite")
        try await tool.succeed("records", "import", "feeds.jsonl", "--yes")
        try await body(tool)
        try await server.stop()
      } catch {
        try await server.stop()
        throw error
      }
    }
  }
}

extension Tool {
  /// The result of a command that ends well.
  func json(_ words: [String]) async throws -> [String: Any] {
    let outcome = try await run(words)
    guard outcome.status == 0 else { throw Failed(words: words, outcome: outcome) }
    let envelope = try JSONSerialization.jsonObject(with: Data(outcome.out.utf8)) as? [String: Any]
    return envelope?["result"] as? [String: Any] ?? [:]
  }
}
