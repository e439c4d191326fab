import Diagnostics
import FeedParsing
import Testing

/// What an item is called, who wrote it, and where it is (Documentation/reference/feeds.md#titles).
@Suite struct ItemValueTests {
  private static let names =
    "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:a='http://www.w3.org/2005/Atom' "
    + "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"

  private func parse(_ document: String) -> ParsedFeed {
    var limits = FeedLimits()
    limits.keepsArticles = true
    return FeedParser.parse(document.utf8, baseURL: "http://feed.example/feed", limits: limits)
  }

  private func rss(_ item: String, channel: String = "") -> ParsedFeed {
    parse("<rss version='2.0' \(Self.names)><channel>\(channel)<item>\(item)</item></channel></rss>")
  }

  private func atom(_ entry: String) -> FeedItem? {
    parse("<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>\(entry)</entry></feed>").items.first
  }

  @Test(
    "in a title of RSS a few inline elements are markup, and what speaks of markup is text",
    arguments: [
      ("News &amp;amp; &lt;em>views&lt;/em>", "News & views"),
      ("&lt;template> and &lt;slot>", "<template> and <slot>"),
      ("&lt;style> guide", "<style> guide"), ("&lt;script>x()&lt;/script>", "<script>x()</script>"),
      ("The &lt;b> element", "The <b> element"), ("&lt;b>&lt;/b>", "<b></b>"), ("&lt;i>x&lt;/i>", "x"),
      ("&lt;A HREF='u'>x&lt;/A>", "x"), ("a&lt;br/>b", "a b"), ("Array&lt;Int>", "Array<Int>"),
      ("1 &lt; 2 > 1", "1 < 2 > 1"),
      ("if a&lt;b and c>d", "if a<b and c>d"), ("&lt;p>x&lt;/p>", "x"),
      ("&lt;p> or &lt;p>x&lt;/p>", "<p> or <p>x</p>"),
      ("&lt;textarea", "<textarea"), ("&lt;!-- x -->", "<!-- x -->"), ("&amp;lt;svg&amp;gt;", "<svg>"),
      ("a\n b", "a b"),
      ("<![CDATA[<code>let</code> &mdash; <select>]]>", "let — <select>"),
      ("&lt;i>&lt;b>x&lt;/i>&lt;/b>", "x"),
      ("AT&amp;T", "AT&T"), ("&lt;img src='x'>", "<img src='x'>"),
    ])
  func titles(xml: String, expected: String) {
    #expect(rss("<title>\(xml)</title>").items.first?.titleText == expected)
  }

  @Test("Atom and JSON Feed say which titles are plain text")
  func declaredTitles() {
    for type in ["", " type='text'"] {
      #expect(
        atom("<title\(type)>&lt;b>x&lt;/b> &amp;amp;</title>")?.titleText == "<b>x</b> &amp;", "\(type)")
    }
    #expect(atom("<title type='html'>&lt;b>x&lt;/b> &amp;amp; &lt;slot></title>")?.titleText == "x & <slot>")
    #expect(
      atom("<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><b>x</b> &lt;slot></div></title>")?
        .titleText == "x <slot>")
    #expect(atom("<title>a <b>x</b></title>")?.titleText == "a x")
    let json = parse(
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"<i>x</i> &amp;"}]}"#)
    #expect(json.items.first?.titleText == "<i>x</i> &amp;")
  }

  @Test(
    "an author is a name without an e-mail address",
    arguments: [
      ("ann@s.example (Ann Lee)", "Ann Lee"), ("Ann Lee &lt;ann@s.example>", "Ann Lee"),
      ("ann@s.example", nil),
      ("\"Ann Lee\" &lt;ann@s.example>", "Ann Lee"), ("Ann Lee (ann@s.example)", "Ann Lee"),
      ("&lt;ann@s.example>", nil),
      ("ann@s.example ()", nil), ("mailto:ann@s.example (Ann)", "Ann"),
      ("Ann Lee - ann@s.example", "Ann Lee"),
      ("a@s.example (Ann), b@s.example (Bob)", "Ann, Bob"), ("a@s.example, b@s.example", nil),
      ("Ann (@ann@social.example)", "Ann (@ann@social.example)"), ("@ann", "@ann"), ("Ann (B)", "Ann (B)"),
      ("&lt;a href='mailto:ann@s.example'>Ann&lt;/a>", "Ann"),
      ("&lt;p>Ann&lt;/p>&lt;p>Bob&lt;/p>", "Ann, Bob"),
      ("ann(at)s.example", nil), ("Ann Lee (ann [at] s [dot] example)", "Ann Lee"),
      ("ann at s dot example (Ann)", "Ann"), ("Ann - ann AT s.example", "Ann"), ("ann＠s.example", nil),
      ("a (dot) lee { at } s(dot)example, Bob", "Bob"), ("ann @ s.example", nil), ("ann@ s.example", nil),
      ("mailto:ann%40s.example (Ann)", "Ann"), ("ann&amp;#64;s.example", nil), ("ann_at_s.example", nil),
      ("Ann at Home", "Ann at Home"), ("Ann Lee at s.example", "Ann Lee at s.example"),
      ("Bob (at) noon", "Bob (at) noon"), ("Ann at 10.30", "Ann at 10.30"),
      ("<name>Ann</name><email>ann@s.example</email>", "Ann"), ("<email>ann@s.example</email>", nil),
      ("<name>ann@s.example</name>", nil), ("<name> </name>", nil), ("", nil),
    ] as [(String, String?)])
  func names(author: String, expected: String?) {
    #expect(rss("<guid>1</guid><author>\(author)</author>").items.first?.author == expected)
    #expect(
      atom(
        "<author>\(author.hasPrefix("<name") || author.hasPrefix("<email") || author.isEmpty ? author : "<name>\(author)</name>")</author>"
      )?.author == expected)
  }

  @Test("all authors are named, each once, and an address hides no name of another element")
  func allAuthors() {
    let two = "<dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:creator>Ann</dc:creator>"
    #expect(rss(two).items.first?.author == "Ann, Bob")
    #expect(rss("<author>a@s.example</author>" + two).items.first?.author == "Ann, Bob")
    #expect(rss("<itunes:author>C</itunes:author>" + two).items.first?.author == "Ann, Bob")
    let people = "<author><name>Ann</name></author><author><name>Bob</name></author>"
    #expect(atom(people)?.author == "Ann, Bob")
    let own = "<author><email>x@s.example</email></author>"
    let feed =
      "<feed xmlns='http://www.w3.org/2005/Atom'>\(people)<entry><id>1</id></entry><entry><id>2</id>\(own)</entry></feed>"
    #expect(parse(feed).items.map(\.author) == ["Ann, Bob", nil])
  }

  @Test("a link of Atom is its href, so the text of one without href is no address")
  func links() {
    let text = "https://img.example/x.jpg</link>"
    for start in [
      "<link rel='enclosure' type='image/jpeg'>", "<link>", "<link rel='alternate'>", "<link rel='self'>",
    ] {
      let item = atom(start + text)
      #expect(item != nil && item?.url == nil && item?.enclosure == nil, "\(start)")
    }
    #expect(
      rss("<guid isPermaLink='false'>1</guid><a:link rel='enclosure'>" + text.replacing("</", with: "</a:"))
        .items.first?.url == nil)
    #expect(rss("<link>http://e/1</link><link rel='related'>" + text).items.first?.url == "http://e/1")
    #expect(rss("<link>http://e/1</link>").items.first?.url == "http://e/1")
  }

  @Test(
    "relative addresses of an item in RSS go to its link, and that to the channel's link, else to the feed's address"
  )
  func relativeAddresses() {
    let item = "<link>p/1</link><enclosure url='a.mp3'/><itunes:image href='/i.png'/>"
    for (channel, site) in [
      ("<link>https://s.example/blog/</link>", "https://s.example/blog/"), ("", "http://feed.example/"),
    ] {
      let item = rss(item, channel: channel).items.first
      #expect(item?.url == site + "p/1" && item?.enclosure == site + "p/a.mp3")
      #expect(item?.imageURL == (channel.isEmpty ? "http://feed.example/i.png" : "https://s.example/i.png"))
    }
  }

  @Test("an entry with which a bridge reports its own error is no item, and an article about one is")
  func bridgeErrors() {
    let title = "<title>Bridge returned error 403! (20341)</title>"
    let article = "</item><item><guid>2</guid><title>Hello</title>"
    let bridge = "<link>https://b.example/?action=display&amp;bridge=X&amp;format=Atom</link>"
    for (item, channel) in [
      (title + bridge + article, ""), (title, ""),
      ("<title>Bridge returned error 0!</title><guid>77</guid>" + article, ""),
      (title + "<link>https://e.example/</link>" + article, "<generator>RSS-Bridge</generator>"),
      (
        "<title>RSS reader not yet whitelisted!</title><link>https://rss.xcancel.com/a/rss</link>" + article,
        ""
      ), (title + "<link>https://e.example/</link>" + article, ""),
      ("<title>Maintenance required</title><link>https://rssproxy.migor.org/a</link>" + article, ""),
    ] {
      let feed = rss(item, channel: channel)
      #expect(feed.bridgeErrors == 1 && feed.items.count == (item.hasSuffix(article) ? 1 : 0), "\(item)")
      #expect(feed.items.allSatisfy { $0.title == "Hello" })
      #expect(feed.diagnostics.map(\.code).contains(FeedRule.bridgeError.code))
    }
    let forum = "<link>https://github.com/RSS-Bridge/rss-bridge/issues/1</link>"
    for item in [
      title + forum + article, "<title>Maintenance required</title><link>https://e.example/</link>" + article,
      "<title>Bridge returned error 403! What now?</title>" + bridge + article,
    ] {
      #expect(rss(item).items.count == 2 && rss(item).bridgeErrors == 0, "\(item)")
    }
    let json = parse(
      #"{"version":"https://jsonfeed.org/version/1","title":"t","items":[{"id":"9","title":"Bridge returned error 500! (1)"}]}"#
    )
    #expect(json.items.isEmpty && json.bridgeErrors == 1)
  }
}
