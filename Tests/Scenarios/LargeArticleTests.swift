import DemoFeeds
import Foundation
import Testing

/// Articles as large as a record may be, from a feed to the records behind the emulator.
@Suite struct LargeArticleTests {
  private static let paragraphs = 900
  private static let fetch = [
    "articles", "fetch", "--content", "full", "--force", "--allow-private-addresses", "--format", "json",
    "--yes",
  ]

  private static var document: String {
    let paragraph = String(repeating: "All that fits. ", count: 70)
    let items = (1...3).map {
      let content = Array(repeating: paragraph, count: paragraphs)
        // The third text is one paragraph.
        .joined(separator: $0 == 3 ? "" : "</p><p>")
      return
        "<item><guid isPermaLink='false'>\($0)</guid><title>\($0)</title><link>https://example.com/\($0)</link>"
        + "<description><![CDATA[<p>\(content)</p>]]></description></item>"
    }
    return "<rss version='2.0'><channel><title>Large</title><link>https://example.com/</link>"
      + "<description>d</description>\(items.joined())</channel></rss>"
  }

  @Test(
    "an article of more than 900,000 bytes is cut, sent within the wire's limit, and is the same afterwards")
  func large() async throws {
    try await withProjectFolder { tool in
      let server = try Listener(
        answering: ["HTTP/1.1 200 OK", "Content-Type: application/rss+xml"], body: Self.document)
      _ = try await tool.makeContainer("container.sqlite")
      let local = tool.on(file: "container.sqlite")
      try await local.importFeeds([("large", "\(server.url)/feed")])
      let (runs, log) = try await withEmulator(
        for: tool, file: "container.sqlite", options: ["--verbose"]
      ) { tool in [try await tool.run(Self.fetch), try await tool.run(Self.fetch)] }
      let counts = try runs.map { try #require(try $0.result()["articles"] as? [String: Any], "\($0.err)") }
      #expect(counts[0]["written"] as? Int == 3 && counts[0]["failed"] as? Int == 0)
      #expect(counts[0]["cut"] as? Int == 3)
      #expect(counts[1]["same"] as? Int == 3 && counts[1]["written"] as? Int == 0)
      // No two of them fit into a request.
      #expect(log.split(separator: "\n").count { $0.contains("records/modify") } >= 3)
      for line in try await local.export() where line.contains("\"PublicArticle\"") {
        let texts = try texts(of: line)
        #expect((850_000...900_000).contains(texts.values.reduce(0) { $0 + $1.utf8.count }))
        #expect(texts["content"]?.contains(#"</p><p><a href="https://example.com/"#) == true)
        #expect(texts["contentText"]?.utf8.count ?? 0 <= 64 << 10)
      }
    }
  }

  @Test("an excerpt of characters with thousands of accents is no larger than a record may be")
  func accents() async throws {
    let text = String(repeating: "a" + String(repeating: "\u{301}", count: 1500), count: 300)
    try await withProjectFolder { tool in
      let server = try Listener(
        answering: ["HTTP/1.1 200 OK", "Content-Type: application/rss+xml"],
        body: "<rss version='2.0'><channel><title>Accents</title><link>https://example.com/</link>"
          + "<item><guid isPermaLink='false'>1</guid><description>\(text)</description></item></channel></rss>"
      )
      _ = try await tool.makeContainer("container.sqlite")
      let local = tool.on(file: "container.sqlite")
      try await local.importFeeds([("accents", "\(server.url)/feed")])
      _ = try await local.json(Self.fetch)
      let lines = try await local.export().filter { $0.contains("\"PublicArticle\"") }
      let texts = try texts(of: #require(lines.first))
      #expect(texts["excerpt"]?.hasSuffix("…") == true)
      #expect(texts.values.reduce(0) { $0 + $1.utf8.count } <= 900_000)
    }
  }

  @Test("a feed of hundreds of new items, two of which share an id, is stored")
  func manyOfOneFeed() async throws {
    let items = (1...400).map { number in
      "<item><guid isPermaLink='false'>\(max(2, number))</guid><title>\(number)</title>"
        + "<link>https://example.com/\(number)</link></item>"
    }
    let feed = DemoFeed(
      slug: "many",
      behavior: .response("many", "has many items") { _ in
        DemoResponse(
          "200 OK", [("Content-Type", "application/rss+xml")],
          "<rss version='2.0'><channel><title>Many</title><link>https://example.com/</link>"
            + "\(items.joined())</channel></rss>")
      })
    try await withDemoFeeds([feed]) { tool in
      let counts = try #require(try await tool.json(Self.fetch)["articles"] as? [String: Any])
      #expect(counts["new"] as? Int == 400 && counts["written"] as? Int == 400)
    }
  }

  private func texts(of line: String) throws -> [String: String] {
    let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    let fields = record?["fields"] as? [String: [String: Any]] ?? [:]
    return fields.compactMapValues { $0["value"] as? String }
  }
}
