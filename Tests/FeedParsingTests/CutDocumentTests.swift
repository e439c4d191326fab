import Diagnostics
import FeedParsing
import Testing

@Suite struct CutDocumentTests {
  private static let documents = [
    """
    <?xml version="1.0"?><!-- head --><rss version="2.0" xmlns:c="http://purl.org/rss/1.0/modules/content/"><channel>
    <title>Café &amp; more</title><link>https://s.example/</link><ttl>120</ttl>
    <item><guid isPermaLink="false">post-10|03</guid><title><![CDATA[a <b>]]> c</title><category>x</category>
    <link>https://s.example/10</link><c:encoded><![CDATA[<p>text</p>]]></c:encoded><br></item><!-- a > b --> x
    <item><guid>2</guid><enclosure url="https://s.example/2.mp3" type="audio/mpeg"/><description>t &eacute; &#65;</description>
    </item><item><title>c</title><link>https://s.example/3</link></item></channel></rss>
    """,
    """
    <rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <channel rdf:about="https://s.example/"><title>R</title><items><rdf:Seq><rdf:li resource="1"/></rdf:Seq></items></channel>
    <item rdf:about="https://s.example/1"><title>a & b</title></item>
    <item rdf:about='https://s.example/2'><title>b</title></item></rdf:RDF>
    """,
    """
    <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://s.example/"><title>A</title><author><name>Ann</name></author>
    <entry><id>tag:1</id><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a<br>b</div></title>
    <link href="1"/></entry>
    <entry><id>tag:2</id><link href="/2"/><author><name>Bo</name></author><content type="html">&lt;p></content></entry></feed>
    """,
    #"""
    {"version":"https://jsonfeed.org/version/1.1","title":"J","items":[{"id":"1","title":"a","tags":["x"]},
    {"id":"12","content_text":"b\u00e9","attachments":[{"url":"https://s.example/1","mime_type":"audio/mpeg"}]}],"language":"en"}
    """#,
  ]

  private func parse(_ text: String, bytes: Int? = nil) -> ParsedFeed {
    var limits = FeedLimits()
    limits.keepsArticles = true
    limits.bytes = bytes ?? limits.bytes
    return FeedParser.parse(text.utf8, baseURL: "https://s.example/feed", limits: limits)
  }

  @Test(
    "a document that is cut anywhere gives whole items only, and says where it stops", arguments: documents)
  func cut(whole: String) throws {
    let feed = parse(whole)
    #expect(feed.isComplete && feed.items.count >= 2)
    let inherited = feed.items.map { ($0.id, $0.author) }
    var most = 0
    for end in whole.indices.dropFirst() {
      let text = String(whole[..<end])
      let cut = parse(text)
      #expect(cut.items.map(\.id) == feed.items.prefix(cut.items.count).map(\.id), "\(text.suffix(50))")
      for (item, other) in zip(cut.items, feed.items) where item != other {
        // The author of the feed is the same for all entries, or stands after the cut.
        #expect(item.title == other.title && item.url == other.url && item.content == other.content)
      }
      #expect([feed.title, nil].contains(cut.title) && [feed.siteURL, nil].contains(cut.siteURL))
      #expect([feed.language, nil].contains(cut.language) && [feed.ttl, nil].contains(cut.ttl))
      guard cut.format != .unknown else { continue }
      #expect(!cut.isComplete, "\(text.suffix(50))")
      let line = text.count { $0 == "\n" } + 1
      let column = text.reversed().prefix { $0 != "\n" }.count + 1
      let place = cut.diagnostics.first { $0.code == FeedRule.cutDocument.code }?.message
      if !whole.hasPrefix("{") { #expect(place?.contains(" \(line):\(column),") == true, "\(place ?? "")") }
      #expect(place != nil)
      #expect(
        parse(whole, bytes: text.utf8.count).items == cut.items, "our own limit cuts as a connection does")
      most = max(most, cut.items.count)
    }
    #expect(most == feed.items.count && inherited.count == most)
    for rest in [
      "\n", whole.hasPrefix("{") ? "\n}" : "<!-- never ended", whole.hasPrefix("{") ? "x" : "<script>x",
    ] {
      #expect(parse(whole + rest).isComplete && parse(whole + rest).items == feed.items, "\(rest)")
    }
  }

  @Test("an item ends with its own end tag, the next item or the end of its list; nothing else ends it")
  func ends() {
    let head = "<rss version='2.0'><channel><item><title>a</title>"
    for (rest, titles) in [
      ("</item>", ["a"]), ("</item", []), ("</item><item><title>b</title>", ["a"]), ("<item>", ["a"]),
      ("<item", []), ("</channel>", ["a"]), ("</channel", []), ("</chan", []), ("</rss>", ["a"]),
    ] as [(String, [String])] {
      #expect(parse(head + rest).items.map(\.title) == titles, "\(rest)")
      #expect(parse(head + rest).isComplete == (rest == "</rss>"), "\(rest)")
    }
  }

  @Test("limits of ours leave a document without its end, and what they leave out is not gone")
  func limits() {
    let items = (0..<3).map { "<item><guid>\($0)</guid></item>" }.joined()
    let text = "<rss version='2.0'><channel>\(items)</channel></rss>"
    var limits = FeedLimits()
    limits.items = 2
    #expect(!FeedParser.parse(text.utf8, limits: limits).isComplete)
    limits.items = 3
    #expect(FeedParser.parse(text.utf8, limits: limits).isComplete)
    limits.depth = 4
    let deep = text.replacing("</channel>", with: "<item><guid>4</guid><a><b/></a></item></channel>")
    let feed = FeedParser.parse(deep.utf8, limits: limits)
    #expect(!feed.isComplete && feed.items.count == 3)
    limits.bytes = text.utf8.count
    #expect(FeedParser.parse((text + " ").utf8, limits: limits).isComplete)
  }
}
