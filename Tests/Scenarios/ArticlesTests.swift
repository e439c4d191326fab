import DemoFeeds
import Synchronization
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

  /// The addresses of a blog whose dates have no time of day; the last two posts are of one day.
  private static let addresses: [(name: String, of: @Sendable (Int) -> String)] = [
    ("as they were", { "https://old.example/2026/\($0)/" }),
    ("without a slash at the end", { "https://old.example/2026/\($0)" }),
    ("another path", { "https://old.example/posts/\($0).html" }),
    ("another host", { "https://www.new.example/posts/\($0).html" }),
    ("another host without its www", { "https://new.example/posts/\($0).html" }),
    ("a session in the path", { "https://new.example/posts/\($0);jsessionid=A\($0)" }),
    ("another session in the path", { "https://new.example/posts/\($0);jsessionid=B\($0)" }),
  ]

  @Test(
    "posts keep their articles when the site's addresses change, and the articles have the new addresses",
    arguments: [true, false])
  func movedSite(declaresIDs: Bool) async throws {
    let site = MovingSite { address, number in
      let id = declaresIDs ? "<guid>\(address)</guid>" : ""
      let date = "0\(min(number, 5)) Nov 2026 00:00:00 GMT"
      return "\(id)<title>Post \(number)</title><link>\(address)</link>"
        + "<pubDate>\(date)</pubDate><description>Text \(number)</description>"
    }
    try await withDemoFeeds([site.feed]) { tool in
      var names: Set<String>?
      for (number, address) in Self.addresses.enumerated() {
        let articles = try await site.move(to: address.of, day: number, tool)
        let stored = Set(articles.compactMap { $0["recordName"] as? String })
        #expect(stored.count == 6 && stored == names ?? stored, "\(address.name)")
        names = stored
        guard ["another path", "another host"].contains(address.name) else { continue }
        #expect(
          Set(articles.compactMap { $0["url"] as? String }) == Set((1...6).map(address.of)), "\(address.name)"
        )
      }
    }
  }

  @Test("posts without dates are edited after the site's address and ids changed", arguments: [true, false])
  func undatedEdit(declaresIDs: Bool) async throws {
    let word = Mutex("first")
    let site = MovingSite { address, number in
      let id = address.contains("old") ? "a-\(number)" : "\(number) of b"
      return (declaresIDs ? "<guid isPermaLink='false'>\(id)</guid>" : "")
        + "<title>Post \(number)</title><link>\(address)</link>"
        + "<description>Text \(number), \(word.withLock(\.self))</description>"
    }
    try await withDemoFeeds([site.feed]) { tool in
      for (day, text) in ["first", "first", "corrected"].enumerated() {
        word.withLock { $0 = text }
        let host = day == 0 ? "old" : "new"
        let articles = try await site.move(to: { "https://\(host).example/\($0)/" }, day: day, tool)
        #expect(articles.count == 6)
      }
      let found = try await tool.json(["articles", "search", "corrected", "--format", "json"])
      #expect((found["articles"] as? [Any])?.count == 6)
    }
  }

  @Test("posts with ids of their own, and without titles and dates, get other links and are no other posts")
  func untitledLinks() async throws {
    let site = MovingSite { address, number in
      "<guid isPermaLink='false'>post-\(number)</guid><link>\(address)</link><description>Text \(number)</description>"
    }
    try await withDemoFeeds([site.feed]) { tool in
      for day in 0..<3 {
        let articles = try await site.move(to: { "https://old.example/\(day)/\($0)" }, day: day, tool)
        #expect(articles.count == 6)
      }
    }
  }

  /// Items of two days, and how many articles they are.
  private static let others:
    [(name: String, stored: Int, item: @Sendable (_ day: Int, _ number: Int) -> String)] = [
      (
        "jobs of one title, text and date, two of them at another place", 8,
        { day, number in
          let place = number < 3 && day > 0 ? "austin" : "boston"
          return "<guid isPermaLink='false'>\(place)-\(number)</guid><title>Job \(number)</title>"
            + "<link>https://old.example/\(place)/\(number)</link><description>Apply now</description>"
            + "<pubDate>0\(number) Nov 2026 00:00:00 GMT</pubDate>"
        }
      ),
      (
        "pictures without titles and texts, under the numbers of their places", 12,
        { day, number in
          "<guid isPermaLink='false'>\(number)</guid><link>https://old.example/\(day)/\(number)</link>"
            + "<description>&lt;img src='https://old.example/\(day)\(number).jpg'></description>"
        }
      ),
      (
        "columns of one title and path, whose dates have no time of day", 12,
        { day, number in
          "<title>Column \(number)</title><link>https://old.example/column\(number)?issue=\(day)</link>"
            + "<description>Text \(day)</description><pubDate>0\(day + 1) Nov 2026 00:00:00 GMT</pubDate>"
        }
      ),
      (
        "posts of one title and path on several hosts", 7,
        { day, number in
          let address = number == 1 ? "a\(day).example/links/" : "b.example/\(number)"
          return "<title>Links</title><link>https://\(address)</link>"
            + "<description>Of \(address)</description><pubDate>0\(number) Nov 2026 08:00:00 GMT</pubDate>"
        }
      ),
    ]

  @Test("items that resemble articles of items that are gone are others", arguments: others.indices)
  func otherItems(_ index: Int) async throws {
    let (name, stored, item) = Self.others[index]
    let day = Mutex(0)
    let site = MovingSite { _, number in item(day.withLock(\.self), number) }
    try await withDemoFeeds([site.feed]) { tool in
      for number in 0..<2 {
        day.withLock { $0 = number }
        let articles = try await site.move(to: { "\($0)" }, day: number, tool)
        #expect(articles.count == (number == 0 ? 6 : stored), "\(name)")
      }
    }
  }

  @Test("a purged notice that is shown again takes no other notice's article")
  func returningNotice() async throws {
    let season = Mutex("summer")
    let site = MovingSite { address, number in
      let season = season.withLock(\.self)
      return "<guid isPermaLink='false'>\(season)-\(number)</guid><title>Office \(number)</title>"
        + "<link>\(address)</link><description>Open in \(season)</description>"
    }
    try await withDemoFeeds([site.feed]) { tool in
      var tool = tool
      tool.environment["CELESTRA_ADMIN_ARTICLES_LIFETIME"] = "1d"
      for (day, shown) in [(0, "summer"), (3, "winter"), (4, "summer")] {
        season.withLock { $0 = shown }
        tool.environment["CELESTRA_ADMIN_CLOCK"] = "2026-11-\(24 + day)T12:00:00Z"
        if day == 3 {
          let purge = ["articles", "purge", "--yes", "--accept-risk", "data-loss", "--format", "json"]
          #expect(try await tool.json(purge)["deleted"] as? Int == 6)
        }
        _ = try await site.move(to: { "https://old.example/\($0)" }, day: day, tool)
      }
      let found = try await tool.json(["articles", "search", "winter", "--format", "json"])
      #expect((found["articles"] as? [Any])?.count == 6)
    }
  }

  @Test("a dry run shows what the next run records about the feed and its articles")
  func dryRun() async throws {
    let posts = Mutex(1...1)
    let feed = DemoFeed(
      slug: "blog",
      behavior: .response("blog", "grows") { _ in
        let items = posts.withLock(\.self).map { number in
          let date = number == 2 ? "" : "<pubDate>0\(number) Nov 2026 00:00:00 GMT</pubDate>"
          return "<item><guid isPermaLink='false'>\(number)</guid><title>Post \(number)</title>\(date)</item>"
        }
        return DemoResponse(
          "200 OK", [("Content-Type", "application/rss+xml")],
          "<rss version='2.0'><channel><title>Blog</title><link>https://blog.example/</link>"
            + "<description>d</description>\(items.joined())</channel></rss>")
      })
    try await withDemoFeeds([feed]) { tool in
      let metadata = ["records", "query", "FeedMetadata", "--format", "json"]
      func state() async throws -> [String: Any] {
        let records = try await tool.json(metadata)["records"] as? [[String: Any]]
        return records?.first?["fields"] as? [String: Any] ?? [:]
      }
      // The feed's first document, a longer one, and the same again.
      for last in [3, 4, 4] {
        posts.withLock { $0 = 1...last }
        let before = try await state()
        let plan = try await tool.json(Self.fetch + ["--dry-run"])
        let run = try await tool.json(Self.fetch)
        let after = try await state()
        let changes = try #require(plan["changes"] as? [[String: Any]])
        let planned = changes.first { $0["recordType"] as? String == "FeedMetadata" }?["fields"]
        let fields = try #require(planned as? [String: [String: Any]])
        func value(_ state: [String: Any], _ field: String) -> Any {
          (state[field] as? [String: Any])?["value"] ?? "none"
        }
        for field in ["articlesValidator", "undatedItems", "itemIDRule"] {
          let shown: Any = fields[field].map { $0["to"] ?? "none" } ?? value(before, field)
          #expect("\(shown)" == "\(value(after, field))", "\(field) with \(last) posts")
        }
        let counts = [plan, run].map { ($0["articles"] as? [String: Any])?["new"] as? Int }
        let created = changes.count { $0["recordType"] as? String == "PublicArticle" }
        #expect(counts[0] == counts[1] && counts[0] == created)
      }
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

/// A site of six posts whose addresses a test changes.
private final class MovingSite: Sendable {
  private let address = Mutex<@Sendable (Int) -> String>({ "\($0)" })
  private let item: @Sendable (String, Int) -> String

  /// - Parameter item: the elements of a post, by its address and its number.
  init(item: @escaping @Sendable (String, Int) -> String) { self.item = item }

  var feed: DemoFeed {
    DemoFeed(
      slug: "blog",
      behavior: .response("blog", "moves") { _ in
        let address = self.address.withLock { $0 }
        let items = (1...6).map { "<item>\(self.item(address($0), $0))</item>" }
        return DemoResponse(
          "200 OK", [("Content-Type", "application/rss+xml")],
          "<rss version='2.0'><channel><title>Blog</title><link>https://old.example/</link>"
            + "<description>d</description>\(items.joined())</channel></rss>")
      })
  }

  /// The articles after a run on some day.
  func move(to address: @escaping @Sendable (Int) -> String, day: Int, _ tool: Tool) async throws -> [[String:
    Any]]
  {
    self.address.withLock { $0 = address }
    var tool = tool
    tool.environment["CELESTRA_ADMIN_CLOCK"] = "2026-11-\(24 + day)T12:00:00Z"
    _ = try await tool.json([
      "articles", "fetch", "--allow-private-addresses", "--format", "json", "--force",
    ])
    let list = ["articles", "list", "--feed", "blog", "--format", "json"]
    return try #require(try await tool.json(list)["articles"] as? [[String: Any]])
  }
}
