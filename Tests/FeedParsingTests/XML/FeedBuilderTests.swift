import Diagnostics
import Testing

@testable import FeedParsing

@Suite struct FeedBuilderTests {
  private func feed(_ body: String, _ change: (inout FeedLimits) -> Void = { _ in }) -> ParsedFeed {
    var limits = FeedLimits()
    change(&limits)
    let names =
      "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'"
    return FeedParser.parse(
      "<rss version='2.0' \(names)><channel>\(body)</channel></rss>".utf8, limits: limits)
  }

  private func atom(_ body: String, _ change: (inout FeedLimits) -> Void = { _ in }) -> ParsedFeed {
    var limits = FeedLimits()
    limits.keepsArticles = true
    change(&limits)
    return FeedParser.parse("<feed xmlns='http://www.w3.org/2005/Atom'>\(body)</feed>".utf8, limits: limits)
  }

  @Test(
    "a time to live is 1 minute to a year; any other is none",
    arguments: [
      ("-1", nil), ("0", nil), ("1", 60), ("90", 5400), ("525600", 31_536_000), ("525601", 31_536_000),
      ("x", nil),
    ]
      as [(String, Int64?)])
  func timeToLive(text: String, seconds: Int64?) {
    #expect(feed("<ttl>\(text)</ttl>").ttl == seconds.map { .seconds($0) })
  }

  @Test(
    "without one, the period divided by the frequency counts",
    arguments: [
      ("hourly", nil, 3600), ("Daily", nil, 86_400), ("weekly", nil, 604_800), ("monthly", nil, 2_592_000),
      ("yearly", nil, 31_536_000), ("never", nil, nil), ("daily", "1", 86_400), ("daily", "2", 43_200),
      ("daily", "0", 86_400),
      ("daily", "-2", 86_400), ("daily", "x", 86_400),
    ] as [(String, String?, Int64?)])
  func period(name: String, frequency: String?, seconds: Int64?) {
    let text =
      "<sy:updatePeriod>\(name)</sy:updatePeriod>"
      + (frequency.map { "<sy:updateFrequency>\($0)</sy:updateFrequency>" } ?? "")
    #expect(feed(text).ttl == seconds.map { .seconds($0) })
    #expect(feed(text + "<ttl>5</ttl>").ttl == .seconds(300))
  }

  @Test("hours are 0 to 24, of which the last is the first, and days have English names")
  func skipped() {
    let hours = ["-1", "0", "1", "23", "24", "25", "x"].map { "<hour>\($0)</hour>" }.joined()
    #expect(feed("<skipHours>\(hours)</skipHours>").skipHours == [0, 1, 23])
    #expect(feed("<skipHours><hour>24</hour></skipHours>").skipHours == [0])
    #expect(feed("<skipHours><day>Monday</day></skipHours><hour>5</hour>").skipHours == [])
    let days = ["Monday", "sun", "x", "Sundays"].map { "<day>\($0)</day>" }.joined()
    #expect(feed("<skipDays>\(days)</skipDays>").skipDays == [1, 7])
    #expect(feed("<skipDays><hour>1</hour></skipDays>").skipDays == [])
  }

  @Test("an author of 256 bytes at most is inherited; that of a source ranks after every other")
  func inheritance() {
    for (length, isInherited) in [(256, true), (257, false)] {
      let name = String(repeating: "a", count: length)
      #expect(
        atom("<author><name>\(name)</name></author><entry><id>1</id></entry>").items.first?.author
          == (isInherited ? name : nil), "\(length)")
    }
    let core = "<publisher xmlns='http://purl.org/dc/elements/1.1/'>P</publisher>"
    let source = "<source><author><name>S</name></author><title>no</title></source>"
    for body in [core + source, source + core] {
      let item = atom("<entry><id>1</id>\(body)</entry><author><name>F</name></author>").items.first
      #expect(item?.author == "P" && item?.title == nil)
    }
  }

  @Test("a guid that is a web address is the link of an item without one, unless it says that it is none")
  func permalinks() {
    func url(_ body: String) -> String? { feed("<item>\(body)</item>").items.first?.url }
    #expect(url("<guid>http://e/1</guid>") == "http://e/1")
    #expect(url("<guid isPermaLink='true'>http://e/1</guid>") == "http://e/1")
    #expect(url("<guid isPermaLink='false'>http://e/1</guid>") == nil)
    #expect(url("<guid>1</guid>") == nil && url("<title>http://e/1</title>") == nil)
    #expect(url("<guid>http://e/1</guid><link>http://e/2</link>") == "http://e/2")
  }

  @Test("items beyond the limit are counted and leave nothing behind")
  func itemLimit() {
    let item =
      "<item><guid>G</guid><category>c</category><enclosure url='http://e/G'/></item>"
    func items(_ count: Int) -> ParsedFeed {
      feed((1...count).map { item.replacing("G", with: "\($0)") }.joined()) {
        $0.items = 2
        $0.keepsArticles = true
      }
    }
    #expect(items(2).items.map(\.id) == ["1", "2"] && items(2).diagnostics.isEmpty)
    for (count, words) in [
      (3, "1 items after the first 2 were not kept"), (4, "2 items after the first 2 were not kept"),
    ] {
      let feed = items(count)
      #expect(feed.items.map(\.id) == ["1", "2"] && feed.diagnostics.map(\.message) == [words])
      #expect(feed.items.map(\.categories) == [["c"], ["c"]])
      #expect(feed.items.map(\.enclosure) == ["http://e/1", "http://e/2"])
    }
  }

  @Test("an item has its first enclosure, and 64 categories at most")
  func listLimits() {
    func item(_ count: Int) -> FeedItem? {
      let lists = (1...count).map { "<enclosure url='http://e/\($0)'/><category>\($0)</category>" }.joined()
      return feed("<item>\(lists)</item>") { $0.keepsArticles = true }.items.first
    }
    for (count, expected) in [(1, 1), (2, 2), (64, 64), (65, 64)] {
      #expect(item(count)?.enclosure == "http://e/1")
      #expect(item(count)?.categories == (1...expected).map { "\($0)" }, "\(count)")
    }
  }

  @Test("a text is cut at the limit, with a finding")
  func textLimit() {
    for (text, isCut) in [("abcd", false), ("abcde", true)] {
      let feed = feed("<title>\(text)</title>") { $0.text = 4 }
      #expect(feed.title == "abcd")
      #expect(feed.diagnostics.map(\.code) == (isCut ? [FeedRule.textTruncated.code] : []))
    }
  }

  @Test("links are resolved until they have added the limit, with a finding")
  func resolvedLinks() {
    // Each link grows by 13 bytes.
    func links(_ limit: Int) -> ParsedFeed {
      let items = (1...3).map { "<item><link>\($0)</link></item>" }.joined()
      var limits = FeedLimits()
      limits.resolvedLinks = limit
      return FeedParser.parse(
        "<rss version='2.0'><channel>\(items)</channel></rss>".utf8, baseURL: "http://e.org/", limits: limits)
    }
    for (limit, resolved) in [(0, 0), (1, 1), (13, 1), (14, 2), (26, 2), (27, 3)] {
      let feed = links(limit)
      #expect(
        feed.items.map(\.url) == (1...3).map { $0 <= resolved ? "http://e.org/\($0)" : "\($0)" }, "\(limit)")
      #expect(feed.diagnostics.contains { $0.code == FeedRule.linkExpansion.code } == (resolved < 3))
    }
  }

  @Test("the length of the content is that of the document, of the summary without content")
  func contentLength() {
    let base = "xml:base='http://e.org/'"
    for keeps in [false, true] {
      let body = "<entry \(base)><id>1</id><summary>abc</summary><content>&lt;a href='x'></content></entry>"
      #expect(atom(body) { $0.keepsArticles = keeps }.items.first?.contentLength == 12)
      let short = "<entry><id>1</id><summary>abc</summary></entry>"
      let item = atom(short) {
        $0.keepsArticles = keeps
        $0.keepsSummaries = keeps
      }.items.first
      #expect(item?.contentLength == 3 && item?.summary == (keeps ? "abc" : nil))
    }
  }

  @Test(
    "the type of a text says whether it is plain, markup, Base64 or no text",
    arguments: [
      ("", "a", "a", true), ("type='text'", "a", "a", true), ("type='TEXT/PLAIN'", "a", "a", true),
      ("type='html'", "a", "a", false),
      ("type='xhtml'", "<div>a &amp; b</div>", "a &amp; b", false),
      ("type='xhtml'", "<div><div>a</div></div>", "<div>a</div>", false),
      ("type='xhtml'", "<p>a</p>", "<p>a</p>", false), ("type='html'", "<div>a</div>", "<div>a</div>", false),
      ("type='application/xml'", "&amp;", "&amp;", false), ("type='image/svg+xml'", "&amp;", "&amp;", false),
      ("type='application/xml' mode='escaped'", "&amp;", "&", false),
      ("type='text/xml'", "&amp;", "&amp;", false),
      ("type='text/xml; charset=utf-8'", "&amp;", "&amp;", false),
      ("type='text/plain;charset=utf-8'", "a", "a", true), ("mode='base64'", "YWJj", "abc", true),
      ("type='text/html' mode='base64'", "a!", "a!", false),
      ("type='text/html'", "YWJj", "YWJj", false),
      ("type='application/xhtml'", "YWJj", "YWJj", false), ("type='image'", "YWJj", "YWJj", false),
      ("type='image/png'", "YWJj", nil, false), ("type='IMAGE/PNG; q=1'", "YW<b/>Jj", nil, false),
      ("type='application/json'", "a", nil, false), ("type='text/html' mode='base64'", "/w==", nil, false),
    ] as [(String, String, String?, Bool)])
  func types(attributes: String, body: String, expected: String?, isPlain: Bool) {
    let item = atom("<entry><id>1</id><content \(attributes)>\(body)</content></entry>").items.first
    #expect(item?.content == expected && item?.contentIsPlain == isPlain)
    let summary = atom("<entry><id>1</id><summary \(attributes)>\(body)</summary></entry>").items.first
    #expect(summary?.summary == expected && summary?.summaryIsPlain == isPlain)
  }

  @Test(
    "an empty element is written as HTML writes it",
    arguments: [
      ("<br/>", "<br />"), ("<br></br>", "<br />"), ("<br>x</br>", "<br>x</br>"), ("<b/>", "<b></b>"),
      ("<b><br/></b>", "<b><br /></b>"),
      ("<img src=\"a&amp;b\"/>", "<img src=\"a&amp;b\" />"), ("<hr/><wbr/>", "<hr /><wbr />"),
      ("<p>a<b>c</b></p>", "<p>a<b>c</b></p>"),
    ])
  func emptyElements(body: String, expected: String) {
    #expect(feed("<item><description>\(body)</description></item>").items.first?.summary == expected)
  }

  @Test(
    "a category is an attribute in Atom, and the text in RSS",
    arguments: [
      ("<category term='a'/>", ["a"]), ("<category term='a' label='b'/>", ["b"]),
      ("<category>c</category>", ["c"]),
      ("<category term=' '>c</category>", ["c"]), ("<category/>", []),
      ("<category term='a'>c</category>", ["a"]),
    ])
  func categories(body: String, expected: [String]) {
    #expect(atom("<entry><id>1</id>\(body)</entry>").items.first?.categories == expected)
    #expect(
      atom("<entry><id>1</id>\(body)</entry>") { $0.keepsArticles = false }.items.first?.categories == [])
  }
}
