import Catalog
import Cryptography
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
    #expect(CatalogRecordNames.article(feed: feed, guid: guid) == expected)
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

  /// What a document with some items makes of them.
  private func names(
    _ items: [String], head: String = "", after rule: ItemIDRule = .id, isShared: Bool = false
  ) -> ItemNames {
    var limits = FeedLimits()
    limits.keepsArticles = true
    let text = items.map { "<item>\($0)</item>" }.joined()
    let feed = FeedParser.parse(
      Array("<rss version='2.0'><channel>\(head)\(text)</channel></rss>".utf8), limits: limits)
    return ItemNames(feed, after: rule, isShared: isShared)
  }

  private static let whole = """
    <guid isPermaLink='false'>1</guid><link>HTTP://E.org:80/2?a=1&amp;utm_source=x#f</link><title>T</title>
    <pubDate>2001-09-09T01:46:40Z</pubDate><description>The text.</description>
    <enclosure url='http://e.org/2.mp3'/>
    """

  @Test(
    "each rule makes the guid of its parts",
    arguments: [
      (ItemIDRule.id, "1"), (.link, digest(2, ["1", link])), (.title, digest(3, ["1", link, "T"])),
      (.date, digest(4, ["1", link, "T", "1000000000000"])),
      (.content, digest(5, ["1", link, "T", "1000000000000", content])),
    ])
  func rules(rule: ItemIDRule, expected: String) {
    #expect(names([Self.whole], after: rule).guids == [expected])
  }

  private static let link = "http://e.org/2?a=1"
  private static let content = SHA256.hex("The text.\nhttp://e.org/2.mp3")
  private static func digest(_ rule: Int, _ parts: [String]) -> String {
    "\(rule):" + SHA256.hex(parts.joined(separator: "\n"))
  }

  @Test("the published guids of the five rules")
  func published() {
    #expect(
      ItemIDRule.allCases.map { names([Self.whole], after: $0).guids[0] ?? "" } == [
        "1", "2:2ba0743d3f675ffc75c6ef02c40eeefce35734bf40cf8ca37e4cbf286f9b228f",
        "3:d7b2be92d7ab45d13e782b96c22a30008b1044027038fe29ac667cb0985cc16b",
        "4:c0931a3f02f31fb479254ea1a6ff187c6638afe6a413fdad3f77e560b584775c",
        "5:c16c8672588d977104a58bb93426b06a10cc5b9ff114c8bd88d57425890429f6",
      ])
  }

  @Test("an item without an id has its link as id, and one with neither begins at a stricter rule")
  func withoutID() {
    let longest = "http://e.org/" + String(repeating: "a", count: 4083)
    func guid(_ body: String) -> String? {
      names([body], head: "<link>http://e.org/news/</link>").guids[0]
    }
    #expect(guid("<link>HTTP://E.org:80/2?utm_source=x</link>") == "http://e.org/2")
    #expect(
      guid("<guid isPermaLink='false'>\(longest)a</guid><link>http://e.org/2</link>") == "http://e.org/2")
    #expect(guid("<link>\(longest)</link>") == longest)
    for nothing in ["", "<link>http://e.org/</link>", "<link>https://www.e.org/news</link>"] {
      #expect(guid("\(nothing)<title>T</title>") == Self.digest(3, ["", "", "T"]))
      #expect(
        guid("\(nothing)<pubDate>2001-09-09T01:46:40Z</pubDate><description>x</description>")
          == Self.digest(4, ["", "", "", "1000000000000"]))
      #expect(
        guid("\(nothing)<description>x</description>")
          == Self.digest(5, ["", "", "", "", SHA256.hex("x\n")]))
    }
    let own = "2:" + String(repeating: "a", count: 64)
    #expect(guid("<guid isPermaLink='false'>\(own)</guid>") == Self.digest(2, [own, ""]))
  }

  @Test(
    "a document takes the lowest rule under which different items have different guids",
    arguments: [
      (["<guid>1</guid><link>http://e.org/1</link>", "<guid>1</guid><link>http://e.org/2</link>"], 2),
      (
        [
          "<guid>1</guid><title>A</title><pubDate>2001-09-09T01:46:40Z</pubDate>",
          "<guid>1</guid><title>B</title><pubDate>2001-09-09T01:46:41Z</pubDate>",
        ], 3
      ), (["<guid>1</guid><title>A</title>", "<guid>1</guid><title>B</title>"], 1),
      (
        [
          "<guid>1</guid><title>A</title><enclosure url='http://e.org/1'/>",
          "<guid>1</guid><title>A</title><enclosure url='http://e.org/2'/>",
        ], 5
      ),
      (
        [
          "<guid>1</guid><pubDate>2001-09-09T01:46:40Z</pubDate><description>1</description>",
          "<guid>1</guid><pubDate>2001-09-09T01:46:41Z</pubDate><description>2</description>",
        ], 4
      ),
      (["<title>A</title><description>1</description>", "<title>A</title><description>2</description>"], 5),
      (
        [
          "<title>A</title><pubDate>2001-09-09T01:46:40Z</pubDate>",
          "<title>A</title><pubDate>2001-09-09T01:46:41Z</pubDate>",
        ], 4
      ),
    ])
  func documents(items: [String], rule: Int) {
    let names = names(items)
    #expect(names.rule?.rawValue == rule)
    #expect(names.repeated.count == (rule == 1 ? 1 : 0))
  }

  @Test("celestra-cloud's guid is the declared id, else the link as it is, else a digest of title and date")
  func shared() {
    func guid(_ body: String) -> String? { names([body], isShared: true).guids[0] }
    #expect(guid("<guid isPermaLink='false'>1</guid><link>HTTP://E.org/2</link>") == "1")
    #expect(guid("<link>HTTP://E.org:80/2</link>") == "HTTP://E.org:80/2")
    let dated = "<title>T</title><pubDate>2001-09-09T01:46:40Z</pubDate>"
    #expect(guid(dated) == "sha256:e888055a8caff3840ab53663a2a27523a53cf4cd7eab30771b039bca5f897194")
    #expect(guid("<title>T</title>") == nil)
    let both = names([Self.whole, Self.whole], isShared: true)
    #expect(both.rule == nil && both.repeated == [1])
  }

  @Test("a digest is the first 64 bits of a record name")
  func digests() {
    #expect(ArticleIdentity.digest(of: "000000000000000fffff") == 15)
    #expect(ArticleIdentity.digest(of: "ffffffffffffffff00") == -1 && ArticleIdentity.digest(of: "x") == 0)
    #expect(ArticleIdentity.sharedContentHash(title: "T", url: "u", guid: "g") == "T|u|g")
  }
}
