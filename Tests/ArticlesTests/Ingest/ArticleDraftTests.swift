import CloudKitModel
import FeedParsing
import Testing

@testable import Articles

/// Limits of what is stored of an item (Documentation/reference/articles.md#fields).
@Suite struct ArticleDraftTests {
  /// The draft of the first item of an Atom feed.
  private func draft(
    _ body: String, title: String? = nil, feed: String = "", content: ArticleOptions.Content = .excerpt,
    isShared: Bool = false
  ) throws -> ArticleDraft {
    var limits = FeedLimits()
    limits.keepsArticles = true
    let document = "<feed xmlns='http://www.w3.org/2005/Atom'>\(feed)<entry><id>g</id>\(body)</entry></feed>"
    let parsed = FeedParser.parse(document.utf8, limits: limits)
    let item = try #require(parsed.items.first)
    return ArticleDraft(
      item, guid: "g", title: title, in: parsed, feedRecordName: "a", content: content, isShared: isShared)
  }

  private static func letters(_ count: Int, _ letter: String = "a") -> String {
    String(repeating: letter, count: count)
  }

  @Test(
    "an excerpt has 300 characters at most, and ends at a word in its second half",
    arguments: [
      ("", ""), ("a", "a"), ("a\nb\n\nc", "a b  c"), (letters(300), letters(300)),
      (letters(301), letters(299) + "…"),
      (letters(151) + " " + letters(149), letters(151) + "…"),
      (letters(150) + " " + letters(150), letters(150) + " " + letters(148) + "…"),
      (letters(298) + " b c", letters(298) + "…"), (letters(299) + " b", letters(299) + "…"),
      (letters(151) + "\n" + letters(149), letters(151) + "…"),
      (letters(300, "é"), letters(300, "é")), (letters(301, "é"), letters(299, "é") + "…"),
    ])
  func excerpts(text: String, expected: String) {
    #expect(ArticleDraft.excerpt(of: text) == expected)
  }

  @Test("a title has 1000 bytes, an author 300, and an address 2048")
  func lengths() throws {
    for (count, expected) in [(1000, Self.letters(1000)), (1001, Self.letters(997) + "…")] {
      #expect(try draft("", title: Self.letters(count)).title == expected)
    }
    for (count, expected) in [(300, Self.letters(300)), (301, Self.letters(297) + "…")] {
      #expect(try draft("<author><name>\(Self.letters(count))</name></author>").author == expected)
    }
    for (count, isStored) in [(2048, true), (2049, false)] {
      let address = "http://e.example/" + Self.letters(count - 17)
      #expect(try draft("<link href='\(address)'/>").url == (isStored ? address : nil), "\(count)")
    }
    #expect(try draft("<link href='mailto:a@e'/>").url == nil)
  }

  @Test("an article has 20 tags of 100 bytes at most, each once")
  func tags() throws {
    func tags(_ names: [String]) throws -> [String] {
      try draft(names.map { "<category term='\($0)'/>" }.joined()).tags
    }
    let numbers = (1...21).map { "\($0)" }
    #expect(try tags([]) == [] && tags(["a", "b", "a"]) == ["a", "b"])
    #expect(try tags(Array(numbers.prefix(20))) == Array(numbers.prefix(20)))
    #expect(try tags(numbers) == Array(numbers.prefix(20)))
    #expect(
      try tags([Self.letters(100), Self.letters(101), "&lt;b>&lt;/b>", "c"]) == [Self.letters(100), "c"])
  }

  @Test("the picture is that of the item, else an enclosed one, else the first of the text")
  func pictures() throws {
    let enclosure = "<link rel='enclosure' type='image/png' href='http://e.example/2'/>"
    let other =
      "<link rel='enclosure' type='audio/mpeg' href='http://e.example/0'/><link rel='enclosure' href='http://e.example/1'/>"
    let declared = "<content xmlns='http://search.yahoo.com/mrss/' medium='image' url='http://e.example/1'/>"
    let text = "<content type='html'>&lt;img src='http://e.example/3'></content>"
    #expect(try draft(declared + enclosure + text).imageURL == "http://e.example/1")
    #expect(try draft(other + enclosure + text).imageURL == "http://e.example/2")
    #expect(try draft(other + text).imageURL == "http://e.example/3" && draft("").imageURL == nil)
    #expect(try draft(other).enclosureURL == "http://e.example/0")
    for host in ["127.0.0.1", "[fd00::1]", "[64:ff9b::a00:1]", "printer.local", "intranet"] {
      let inside = try draft(enclosure.replacing("e.example", with: host))
      #expect(inside.imageURL == nil && inside.enclosureURL == nil, "apps load neither from \(host)")
    }
  }

  @Test("the excerpt is of the summary, else of the text; the language is that of the item, else of the feed")
  func sources() throws {
    let summary = "<summary>S</summary>"
    let content = "<content type='html'>&lt;p>one two&lt;/p></content>"
    let both = try draft(summary + content)
    #expect(both.excerpt == "S" && both.text == "S" && both.html == "" && both.words == 2)
    let full = try draft(summary + content, content: .full)
    #expect(full.excerpt == "S" && full.text == "one two" && full.html == "<p>one two</p>")
    #expect(
      try draft(content).excerpt == "one two" && draft(summary).excerpt == "S" && draft(summary).words == 1)
    #expect(try draft("<summary type='html'>&lt;p>&lt;/p></summary>" + content).excerpt == "one two")
    #expect(try draft("", feed: "<link xml:lang='x'/>").language == nil)
    for (tag, code) in [
      ("de-AT", "de"), ("pt_BR", "pt"), ("deu", "de"), ("English", "en"), ("tlh", nil), ("und", nil),
    ] {
      #expect(
        try draft("", feed: "<language xmlns='http://purl.org/dc/elements/1.1/'>\(tag)</language>").language
          == code)
    }
    let german = "<language xmlns='http://purl.org/dc/elements/1.1/'>de</language>"
    let french = german.replacing("de<", with: "fr<")
    #expect(try draft(german, feed: french).language == "de" && draft("", feed: french).language == "fr")
  }

  @Test("plain texts keep their signs, and relative links are those of the item, else of the site")
  func bodies() throws {
    #expect(try draft("<content type='text'>a &lt;b> c</content>", content: .full).text == "a <b> c")
    #expect(
      try draft("<summary type='text'>a &lt;b> c</summary>", content: .full).html == "<p>a &lt;b&gt; c</p>")
    let link = "<content type='html'>&lt;a href='x'>t&lt;/a></content>"
    #expect(
      try draft("<link href='http://e.example/i/'/>" + link, feed: "<link href='http://s/'/>", content: .full)
        .html
        == "<a href=\"http://e.example/i/x\">t</a>")
    #expect(
      try draft(link, feed: "<link href='http://s/'/>", content: .full).html == "<a href=\"http://s/x\">t</a>"
    )
  }

  @Test(
    "a relative reference in RSS goes to the item's link, else to the channel's, else to the feed's address")
  func references() throws {
    var limits = FeedLimits()
    limits.keepsArticles = true
    let text = "<description>&lt;img src='i.png'>&lt;a href=\"../x\">t&lt;/a></description>"
    func html(_ channel: String, _ item: String, base: String = "") throws -> String {
      let document =
        "<rss version='2.0'><channel\(base)>\(channel)<item><guid isPermaLink='false'>1</guid>\(item)</item></channel></rss>"
      let feed = FeedParser.parse(document.utf8, baseURL: "http://f.example/feeds/rss", limits: limits)
      return ArticleDraft(
        try #require(feed.items.first), guid: "1", title: nil, in: feed, feedRecordName: "a", content: .full,
        isShared: false
      ).html
    }
    func expected(_ base: String, _ root: String) -> String {
      "<img src=\"\(base)i.png\"><a href=\"\(root)x\">t</a>"
    }
    let channel = "<link>http://s.example/blog/</link>"
    let item = "<link>http://s.example/2026/05/post</link>"
    for body in [text + item, item + text] {
      #expect(try html(channel, body) == expected("http://s.example/2026/05/", "http://s.example/2026/"))
    }
    #expect(try html(channel, text) == expected("http://s.example/blog/", "http://s.example/"))
    #expect(try html("", text) == expected("http://f.example/feeds/", "http://f.example/"))
    #expect(
      try html(channel, item + text, base: " xml:base='http://b.example/c/d/'")
        == expected("http://b.example/c/d/", "http://b.example/c/"))
  }

  @Test("a hash is of the text, or in the form of the other program")
  func hashes() throws {
    let body = "<title>T</title><link href='http://e.example/1'/><content>x</content>"
    #expect(
      try draft(body, title: "T").contentHash
        == ArticleIdentity.contentHash(title: "T", url: "http://e.example/1", text: "x"))
    #expect(try draft(body, title: "T", isShared: true).contentHash == "T|http://e.example/1|g")
    #expect(try draft("", isShared: true).contentHash == "||g")
  }

  @Test("a record of more than 900,000 bytes loses text first")
  func size() throws {
    // Each letter has two bytes in the text and two in the HTML, which has seven for a paragraph. The rest is 2000 bytes,
    // the guid, an excerpt of 601 bytes, a hash of 64 bytes, and the tag with its 8 bytes: 2677.
    for (count, isWhole) in [(224_329, true), (224_330, false)] {
      let body = "<category term='ttt'/><content type='html'>\(Self.letters(count, "é"))</content>"
      let draft = try draft(body, content: .full)
      #expect(draft.excerpt.utf8.count == 601 && draft.html.utf8.count == 2 * count + 7)
      #expect(draft.text.utf8.count == (isWhole ? 2 * count : 65_535), "\(count)")
      #expect(draft.isCut != isWhole)
    }
  }

  @Test("what is empty is not stored, and fields that the schema lacks are left out")
  func fields() throws {
    let now = Timestamp(milliseconds: 5000)
    let fields = try draft("").contentFields(.celestra, fetched: now)
    for name in [
      "title", "url", "author", "excerpt", "contentText", "content", "imageURL", "language", "tags",
    ] {
      #expect(fields[name] == .some(nil), "\(name)")
    }
    #expect(fields["wordCount"] == .int64(0) && fields["estimatedReadingTime"] == .int64(1))
    #expect(fields["fetchedAt"] == .timestamp(now) && fields["guid"] == .string("g"))
    let tagged = try draft("<category term='a'/><content>b</content>", content: .full)
    #expect(tagged.contentFields(.celestra, fetched: now)["tags"] == .list(of: .string, [.string("a")]))
    #expect(tagged.contentFields(.celestra, fetched: now)["content"] == .string("<p>b</p>"))
    let shared = tagged.contentFields(.celestraCloud, fetched: now)
    #expect(shared["tags"] == nil && shared["imageURL"] == nil && shared["content"] == .string("<p>b</p>"))
  }
}
