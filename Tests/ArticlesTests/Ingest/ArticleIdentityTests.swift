import FeedParsing
import Testing

@testable import Articles

/// The vectors are published for apps in Documentation/reference/articles.md.
@Suite struct ArticleIdentityTests {
  @Test(
    "record names follow from feed and guid",
    arguments: [
      ("feed", "guid", "e65f191c2fe14f172a256f352a691f93123b8743c5791b5bd33a026393953f6a"),
      (
        "1f361938-a855-52e3-b65b-31b7915bd3fc", "https://example.com/?p=1",
        "9091e1b388e18e1b48df9fd77b140a73bbdb1ddff2a73fa143265ece6d098a41"
      ),
      ("feed", "grüße|日本", "b14576b0ed547ab244d003fc25c9035e357beb9363f43ac0b8e55060308fc608"),
    ])
  func recordNames(feed: String, guid: String, expected: String) {
    #expect(ArticleIdentity.recordName(feed: feed, guid: guid) == expected)
  }

  @Test(
    "content hashes follow from title, address and text",
    arguments: [
      (
        String?("Title"), String?("https://example.com/1"), "The text.",
        "4ab94824f3cff16614d3ec5e1388ae1faf0f681fa131946a6a749312384ee1d8"
      ), (nil, nil, "", "75a11da44c802486bc6f65640aa48a730f0f684c5c07a42ba3cd1735eb3fb070"),
    ])
  func hashes(title: String?, url: String?, text: String, expected: String) {
    #expect(ArticleIdentity.contentHash(title: title, url: url, text: text) == expected)
  }

  private func item(_ body: String) -> FeedItem? {
    FeedParser.parse("<rss version='2.0'><channel><item>\(body)</item></channel></rss>".utf8).items.first
  }

  private func guid(_ body: String, title: String? = nil, normalizesLink: Bool = true) -> String? {
    item(body).flatMap { ArticleIdentity.guid(of: $0, title: title, normalizesLink: normalizesLink) }
  }

  @Test(
    "the guid is the declared id, else the link, both of 4096 bytes at most, else a digest of title and date")
  func guids() {
    let longest = "http://e.org/" + String(repeating: "a", count: 4083)
    #expect(guid("<guid isPermaLink='false'>1</guid><link>HTTP://E.org/2</link>") == "1")
    #expect(guid("<link>HTTP://E.org:80/2</link>") == "http://e.org/2")
    #expect(guid("<link>HTTP://E.org:80/2</link>", normalizesLink: false) == "HTTP://E.org:80/2")
    #expect(guid("<guid isPermaLink='false'>\(longest)</guid><link>http://e.org/2</link>") == longest)
    #expect(
      guid("<guid isPermaLink='false'>\(longest)a</guid><link>http://e.org/2</link>") == "http://e.org/2")
    #expect(guid("<link>\(longest)</link>") == longest && guid("<link>\(longest)a</link>") == nil)
    let dated = "<title>T</title><pubDate>1970-01-01T00:00:01Z</pubDate>"
    #expect(
      guid(dated, title: "T") == "sha256:cdfaf1a6692a25928a25ff71cd47f5c338ef94ec8d56a7bf1534a16e143c64b1")
    #expect(guid(dated) == nil && guid("<title>T</title>", title: "T") == nil)
    #expect(guid(dated.replacing("pubDate", with: "updated"), title: "T") == guid(dated, title: "T"))
  }

  @Test("a digest is the first 64 bits of a record name")
  func digests() {
    #expect(ArticleIdentity.digest(of: "000000000000000fffff") == 15)
    #expect(ArticleIdentity.digest(of: "ffffffffffffffff00") == -1 && ArticleIdentity.digest(of: "x") == 0)
    #expect(ArticleIdentity.sharedContentHash(title: "T", url: "u", guid: "g") == "T|u|g")
  }
}
