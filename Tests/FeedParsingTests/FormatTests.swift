import Diagnostics
import Testing

@testable import FeedParsing

@Suite struct FormatTests {
  private func parse(_ text: String) -> ParsedFeed { FeedParser.parse(Array(text.utf8)) }

  @Test("an image of iTunes is named by its attribute, or else by its text without markup")
  func itunesImage() {
    for (image, expected) in [
      ("href='http://e.org/a.png'>http://e.org/b.png", "http://e.org/a.png"),
      (">http://e.org/b.png", "http://e.org/b.png"), ("><b>http://e.org/c.png</b>", "http://e.org/c.png"),
    ] {
      let names = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
      let text = "<rss version='2.0' \(names)><channel><itunes:image \(image)</itunes:image></channel></rss>"
      #expect(parse(text).imageURL == expected)
    }
  }

  @Test("an item's author is that of RSS, else of Dublin Core, else of iTunes, in whatever order they stand")
  func authors() {
    let elements = [
      "<author>own</author>", "<dc:creator>core</dc:creator>", "<itunes:author>tunes</itunes:author>",
    ]
    let names =
      "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
    for (first, expected) in ["own", "core", "tunes"].enumerated() {
      for elements in [Array(elements[first...]), elements[first...].reversed()] {
        let item = "<item><title>t</title>\(elements.joined())</item>"
        let feed = FeedParser.parse("<rss version='2.0' \(names)><channel>\(item)</channel></rss>".utf8)
        #expect(feed.items.map(\.author) == [expected])
      }
    }
  }

  @Test(
    "every dialect is recognized and its first item parsed",
    arguments: [
      ("<rss version='0.91'><channel><item><title>a</title></item></channel></rss>", FeedFormat.rss091),
      ("<rss version='0.94'><channel><item><title>a</title></item></channel></rss>", .rss092),
      ("<rss version='2.0'><channel><item><title>a</title></item></channel></rss>", .rss20),
      (
        "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
          + "<channel><title>t</title></channel><item><title>a</title></item></r:RDF>", .rss10
      ),
      (
        "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
          + "xmlns='http://my.netscape.com/rdf/simple/0.9/'><channel/><item><title>a</title></item></r:RDF>",
        .rss090
      ),
      (
        "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><title>a</title></entry></feed>", .atom03
      ),
      ("<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>a</title></entry></feed>", .atom10),
      (
        #"{"version":"https://jsonfeed.org/version/1","title":"t","items":[{"id":"1","title":"a"}]}"#,
        .jsonFeed10
      ),
      (
        #"{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{"id":"1","title":"a"}]}"#,
        .jsonFeed11
      ),
    ])
  func dialect(text: String, format: FeedFormat) {
    let feed = FeedParser.parse(Array(text.utf8))
    #expect(feed.format == format)
    #expect(feed.wellFormed)
    #expect(feed.items.map(\.title) == ["a"])
  }

  @Test("modules, enclosures, polling hints and links are read from RSS")
  func modules() throws {
    let text = """
      <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:a="http://www.w3.org/2005/Atom">
      <channel xml:base="https://example.com/blog/"><title>T &amp; U</title><link>./</link>
      <a:link rel="self" href="/feed.xml"/><language>en_GB</language><ttl>90</ttl>
      <skipHours><hour>3</hour><hour>24</hour></skipHours><skipDays><day>Sunday</day></skipDays>
      <item><guid isPermaLink="false">g</guid><link>p/1?a=1&amp;b=2</link><dc:creator>Ann</dc:creator>
      <pubDate>Thu, 01 Jan 2004 19:48:21 EST</pubDate><description>short</description>
      <content:encoded><![CDATA[<p>long</p>]]></content:encoded>
      <enclosure url="https://e.org/a.mp3?x=1&amp;y=2" type="audio/mpeg" length="7"/></item></channel></rss>
      """
    let feed = FeedParser.parse(Array(text.utf8))
    #expect(feed.wellFormed)
    #expect(feed.title == "T & U")
    #expect(feed.siteURL == "https://example.com/blog/")
    #expect(feed.feedURL == "https://example.com/feed.xml")
    #expect(feed.language == "en-GB")
    #expect(feed.ttl == .seconds(5400))
    #expect(feed.skipHours == [0, 3])
    #expect(feed.skipDays == [7])
    let item = try #require(feed.items.first)
    #expect(item.id == "g" && item.idIsDeclared)
    #expect(item.url == "https://example.com/blog/p/1?a=1&b=2")
    #expect(item.published?.iso8601 == "2004-01-02T00:48:21Z")
    #expect(item.author == "Ann")
    #expect(item.summary == "short")
    #expect(item.contentLength == 11)
    #expect(item.enclosure == "https://e.org/a.mp3?x=1&y=2")
  }

  @Test("an item without an id has its link or a stable hash as id")
  func derivedIDs() {
    let text =
      "<rss version='2.0'><channel><item><link>https://e.org/1</link></item><item><title>x</title></item>"
      + "</channel></rss>"
    let first = FeedParser.parse(Array(text.utf8))
    #expect(first.items[0].id == "https://e.org/1")
    #expect(!first.items[0].idIsDeclared)
    #expect(first.items[1].id.hasPrefix("sha256:"))
    #expect(first.items == FeedParser.parse(Array(text.utf8)).items)
  }

  @Test(
    "other RDF documents are not feeds; RSS 0.90 is recognized by its namespace, with or without a channel")
  func rdf() {
    let rdf = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
    #expect(
      parse("<rdf:RDF \(rdf) xmlns:f='http://xmlns.com/foaf/0.1/'><f:Person/></rdf:RDF>").format == .unknown)
    #expect(parse("<rdf:RDF \(rdf) xmlns='http://purl.org/rss/1.0/'></rdf:RDF>").format == .rss10)
    for address in ["http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/"] {
      #expect(parse("<rdf:RDF \(rdf) xmlns='\(address)'></rdf:RDF>").format == .rss090)
      #expect(parse("<rdf:RDF \(rdf) xmlns='\(address)'><channel/></rdf:RDF>").format == .rss090)
    }
  }

  @Test("a feed after a program's warnings is found, and marked as ill-formed")
  func warnings() {
    let feed = parse(
      "<br />\n<b>Warning</b>: foo() in bar.php\n<?xml version='1.0'?><rss version='2.0'><channel><title>T</title>"
        + "<item><guid>1</guid></item></channel></rss>")
    #expect(feed.format == .rss20)
    #expect(feed.recovered && !feed.wellFormed)
    #expect(feed.title == "T")
    #expect(feed.items.map(\.id) == ["1"])
  }
}
