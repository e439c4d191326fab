import FeedParsing
import Testing

@Suite struct AtomTests {
  private func feed(_ body: String, attributes: String = "") -> ParsedFeed {
    FeedParser.parse("<feed xmlns='http://www.w3.org/2005/Atom' \(attributes)>\(body)</feed>".utf8)
  }

  @Test("an entry without an author has that of its source, else that of the feed, wherever it stands")
  func inheritedAuthors() {
    let authors = feed(
      """
      <entry><title>1</title><author><name>Own</name></author></entry>
      <entry><title>2</title><source><title>S</title><author><name>Source</name></author></source></entry>
      <entry><title>3</title></entry><author><name>Feed</name><email>f@e.org</email></author>
      """)
    #expect(authors.items.map(\.author) == ["Own", "Source", "Feed"])
    #expect(authors.items.map(\.title) == ["1", "2", "3"])
  }

  @Test("an entry with external content has its URL as link, unless it has a better one")
  func contentElsewhere() {
    let feed = feed(
      "<entry><content type='text/html' src='full.html'/></entry>"
        + "<entry><content src='x.html'/><link href='page.html'/></entry>",
      attributes: "xml:base='http://e.org/'")
    #expect(feed.items.map(\.url) == ["http://e.org/full.html", "http://e.org/page.html"])
  }

  @Test(
    "a relative id is resolved where the document has a base, and left alone where only its address is known")
  func relativeID() {
    let text = "<entry xml:base='http://e.org/a/'><id>b</id></entry><entry><id>b</id></entry>"
    let bytes = Array("<feed xmlns='http://www.w3.org/2005/Atom'>\(text)</feed>".utf8)
    let feed = FeedParser.parse(bytes, baseURL: "http://other.org/feed")
    #expect(feed.items.map(\.id) == ["http://e.org/a/b", "b"])
  }

  @Test("markup is written in HTML's names, with the namespaces it declares")
  func markup() {
    let feed = feed(
      """
      <entry><title type="xhtml"><h:div xmlns:h="http://www.w3.org/1999/xhtml">a <h:b>c</h:b></h:div></title>
      <summary><svg xmlns="http://www.w3.org/2000/svg"><g/></svg></summary></entry>
      """)
    #expect(feed.items.first?.title == "a <b>c</b>")
    #expect(feed.items.first?.summary == "<svg xmlns=\"http://www.w3.org/2000/svg\"><g></g></svg>")
  }

  @Test("the length of XML content is that of its markup")
  func xmlContent() {
    let feed = feed("<entry><content type='application/atom+xml'>&lt;x/&gt;</content></entry>")
    #expect(feed.items.first?.contentLength == "&lt;x/&gt;".utf8.count)
  }

  @Test("the info of an Atom 0.3 feed is its description when there is no other")
  func info() {
    let feed = FeedParser.parse(
      "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><info>I</info><title>T</title></feed>".utf8)
    #expect(feed.description == "I")
  }
}
