import Diagnostics
import FeedParsing
import Testing

/// Feeds that are not as their specification says, and that every reader understands.
@Suite struct LooseFeedTests {
  private func parse(_ text: String) -> ParsedFeed { FeedParser.parse(text.utf8) }

  private func item(_ body: String) -> FeedItem? {
    parse("<rss version='2.0'><channel><item>\(body)</item></channel></rss>").items.first
  }

  @Test("a channel may be missing, or hold its items in a list")
  func containers() {
    let bare = parse("<rss version='2.0'><title>T</title><item><title>a</title></item></rss>")
    #expect(bare.title == "T")
    #expect(bare.items.map(\.title) == ["a"])
    let listed = parse(
      "<Channel xmlns='http://purl.org/net/rss1.1#'><title>T</title><items><item><title>a</title></item></items>"
        + "</Channel>")
    #expect(listed.format == .rss10)
    #expect(listed.items.map(\.title) == ["a"])
  }

  @Test("an item with nothing but a category is an item, one with nothing is not")
  func categoryOnly() {
    #expect(item("<category>News</category>") != nil)
    #expect(item("") == nil)
  }

  @Test("elements in an unknown default namespace are read, those with an unknown prefix are not")
  func namespaces() {
    let feed = parse(
      "<rss version='2.0'><channel xmlns='urn:made-up'><title>T</title><item xmlns:x='urn:x'><title>a</title>"
        + "<x:link>http://no.org/</x:link></item></channel></rss>")
    #expect(feed.title == "T")
    #expect(feed.items.map(\.title) == ["a"])
    #expect(feed.items.map(\.url) == [nil])
  }

  @Test("markup in an author is dropped, and that in an id is kept")
  func nakedMarkup() {
    #expect(item("<author><p>A</p></author>")?.author == "A")
    #expect(item("<author><name>A</name><uri>http://e.org/</uri></author>")?.author == "A")
    #expect(item("<author><p><b>A</b> <i>B</i></p></author>")?.author == "A B")
    #expect(item("<author><p>A <title>B</title></p></author>")?.author == "A, B")
    #expect(item("<guid><p>1</p></guid>")?.id == "<p>1</p>")
  }

  @Test("an item begins in the list of items, whatever is still open before it")
  func unclosedElements() {
    let feed = parse(
      "<rss version='2.0'><channel><title>T</titel><item><title>a</title><item><title>b</item></channel></rss>"
    )
    #expect(feed.title == "T")
    #expect(feed.items.map(\.title) == ["a", "b"])
    #expect(feed.recovered)
  }

  @Test("references to invalid characters are dropped; the end of a section and brackets in values are kept")
  func repairedText() {
    let feed = parse(
      "<rss version='2.0'><channel><title>a&#1;&#xD800;&#x110000; ]]> b</title><item><link href='http://e/<x>'/>"
        + "</item></channel></rss>")
    #expect(feed.title == "a ]]> b")
    #expect(feed.items.map(\.url) == ["http://e/<x>"])
  }

  @Test("a missing quote affects only its own value")
  func forgottenQuote() {
    let feed = parse(
      "<rss version='2.0'><channel><item><enclosure url=\"x><title>T</title><link rel=\"a\"/></item></channel></rss>"
    )
    #expect(feed.items.map(\.title) == ["T"])
  }

  @Test("an entity of the document may expand to a reference")
  func doubleReference() {
    let feed = parse(
      "<!DOCTYPE rss [<!ENTITY c '&#38;#169;'>]><rss version='2.0'><channel><title>&c;</title></channel></rss>"
    )
    #expect(feed.title == "©")
  }

  @Test(
    "JSON with common mistakes is parsed and marked",
    arguments: [
      #""items":[{"id":"1"},],"#, "\"title\":\"a\nb\\x\",\"items\":[{\"id\":\"1\"}]",
      #""items":[{"id":"1"},{"id":"2","content_text":"cut o"#,
    ])
  func json(body: String) {
    let end = body.hasSuffix("cut o") ? "" : "}"
    let feed = parse("{\"version\":\"https://jsonfeed.org/version/1.1\",\(body)\(end)")
    #expect(feed.format == .jsonFeed11 && feed.recovered && !feed.wellFormed)
    #expect(feed.items.map(\.id) == ["1"])
    #expect(feed.diagnostics.first?.code == FeedRule.illFormed.code)
  }

  @Test("JSON in another encoding than UTF-8 is detected; its items have the feed's author")
  func jsonEncoding() {
    let text =
      #"{"version":"https://jsonfeed.org/version/1.1","authors":[{"name":"Zoé"}],"items":[{"id":"1"}]}"#
    let feed = FeedParser.parse(text.unicodeScalars.map { UInt8($0.value) })
    #expect(feed.encoding == "windows-1252")
    #expect(feed.items.map(\.author) == ["Zoé"])
  }

  @Test("the entities of the DTD of RSS 0.91 are declared by it; those of others are not")
  func entitiesOfRSS091() {
    let doctype = #"""
      <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
      "http://my.netscape.com/publish/formats/rss-0.91.dtd">
      """#
    let document = "<rss version='0.91'><channel><title>f&uuml;r</title></channel></rss>"
    let declared = FeedParser.parse((doctype + document).utf8)
    #expect(declared.title == "für")
    #expect(declared.wellFormed)
    #expect(declared.diagnostics.isEmpty)
    #expect(!FeedParser.parse(document.utf8).wellFormed)
    #expect(!FeedParser.parse((doctype + document.replacing("&uuml;", with: "&mdash;")).utf8).wellFormed)
  }

  @Test("an entity that is a file is declared, stands for nothing, and is reported as external")
  func externalEntity() {
    let feed = FeedParser.parse(
      "<!DOCTYPE rss [<!ENTITY f SYSTEM \"file:///etc/hostname\">]><rss><channel><title>a&f;b</title></channel></rss>"
        .utf8)
    #expect(feed.title == "ab")
    #expect(feed.wellFormed)
    #expect(feed.diagnostics.map(\.code) == [FeedRule.externalDeclaration.code])
  }

  @Test("what a publisher says about the feed's future is read")
  func future() {
    let podcast = """
      <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
      <itunes:new-feed-url>/new.xml</itunes:new-feed-url></channel></rss>
      """
    #expect(
      FeedParser.parse(podcast.utf8, baseURL: "https://a.example/x").newFeedURL == "https://a.example/new.xml"
    )
    let expired = #"{"version":"https://jsonfeed.org/version/1.1","title":"T","expired":true,"items":[]}"#
    #expect(FeedParser.parse(expired.utf8).isExpired)
    #expect(!FeedParser.parse(expired.replacing("true", with: "false").utf8).isExpired)
  }
}
