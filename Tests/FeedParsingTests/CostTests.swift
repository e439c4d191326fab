import Diagnostics
import FeedParsing
import Testing

/// Input that would cost far more than its size.
@Suite struct CostTests {
  private func parse(_ text: String) -> ParsedFeed { FeedParser.parse(Array(text.utf8)) }

  @Test("a long base does not make long links of many short ones")
  func longBase() {
    let base = "http://e.example/" + String(repeating: "a", count: 30_000) + "/"
    let entries = String(repeating: "<entry><link href='b'/></entry>", count: 2000)
    let feed = parse("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='\(base)'>\(entries)</feed>")
    #expect(feed.items.first?.url == base + "b")
    #expect(feed.items.last?.url == "b")
    #expect(feed.items.compactMap(\.url).map(\.utf8.count).reduce(0, +) < 3 << 20)
    #expect(feed.diagnostics.contains { $0.code == FeedRule.linkExpansion.code })
  }

  @Test("a long base does not make long links inside a text")
  func longBaseInMarkup() {
    let base = "http://e.example/" + String(repeating: "a", count: 30_000) + "/"
    let links = String(repeating: "&lt;a href='b'>", count: 20_000)
    let feed = parse(
      "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='\(base)'><entry><summary>\(links)</summary></entry></feed>"
    )
    #expect(feed.items.count == 1)
    #expect((feed.items.first?.summary ?? "").utf8.count < 4 << 20)
  }

  @Test("items do not inherit a long author")
  func longAuthor() {
    let name = String(repeating: "n", count: 100_000)
    let feed = parse(
      "<feed xmlns='http://www.w3.org/2005/Atom'><author><name>\(name)</name></author>"
        + String(repeating: "<entry><id>1</id></entry>", count: 100) + "</feed>")
    #expect(feed.items.count == 100)
    #expect(feed.items.allSatisfy { $0.author == nil })
  }

  @Test("a document type declaration over the limit ends the parsing")
  func longDoctype() {
    let entities = String(repeating: "<!ENTITY a 'b'>", count: 40_000)
    let text = "<!DOCTYPE rss [\(entities)]><rss version='2.0'><channel><title>&a;</title></channel></rss>"
    let feed = parse(text)
    #expect(feed.format == .unknown)
    #expect(feed.diagnostics.contains { $0.code == FeedRule.entityExpansion.code })
  }

  @Test("a document with an unclosed declaration is not well-formed")
  func unclosedDoctype() {
    let feed = parse("<!DOCTYPE rss [ <rss version='2.0'><channel><title>t</title></channel></rss>")
    #expect(!feed.wellFormed)
  }

  @Test("a JSON Feed with too many values is parsed up to a complete item")
  func manyValues() {
    let items = (0..<60_000).map { #"{"id":"\#($0)","title":"a, [b] {c} \"d\"","tags":["x","y"]}"# }
    let feed = parse(
      #"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[\#(items.joined(separator: ","))]}"#
    )
    #expect(feed.format == .jsonFeed11)
    #expect(feed.title == "T")
    #expect(feed.items.count > 10_000 && feed.items.count < 60_000)
    #expect(feed.items.last?.title == #"a, [b] {c} "d""#)
    #expect(feed.diagnostics.contains { $0.code == FeedRule.tooManyItems.code })
  }

  @Test("values after the last item that is kept are still read")
  func afterManyItems() {
    let items = String(repeating: "{},", count: 30_000) + "{}"
    let feed = parse(#"{"items":[\#(items)],"version":"https://jsonfeed.org/version/1.1","title":"T"}"#)
    #expect(feed.title == "T" && feed.wellFormed)
    #expect(feed.items.count == FeedLimits().items)
    #expect(
      feed.diagnostics.contains { $0.code == FeedRule.tooManyItems.code && $0.message.hasPrefix("10001 ") })
  }

  @Test("an item with too many values ends the parsing; the items before it are kept")
  func heavyItem() {
    let values = String(repeating: "0,", count: 100_000) + "0"
    let feed = parse(
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1"},{"id":"2","tags":[\#(values)]},{}]}"#
    )
    #expect(feed.items.map(\.id) == ["1"])
    #expect(feed.recovered && !feed.wellFormed)
    #expect(feed.diagnostics.contains { $0.code == FeedRule.tooManyItems.code })
  }

  @Test("a long text in JSON is cut between two characters, however it is written", arguments: ["", "\\n"])
  func longText(start: String) {
    let text = String(repeating: "й", count: 600_000)
    let feed = parse(
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","summary":"a\#(start)\#(text)"}]}"#)
    let limit = FeedLimits().text
    #expect((limit - 1...limit).contains(feed.items.first?.summary?.utf8.count ?? 0))
    #expect(feed.items.first?.summary?.contains("\u{FFFD}") == false)
    #expect(feed.diagnostics.map(\.code) == [FeedRule.textTruncated.code])
  }

  @Test("a long document in another encoding leaves less room for its text")
  func convertedText() {
    var limits = FeedLimits()
    limits.bytes = 200_000
    let head = Array("<rss version='2.0'><channel><title>".utf8)
    let tail = Array("</title></channel></rss>".utf8)
    // A title that the limit cuts is left out.
    for (count, expected) in [(80_000, 160_000...160_010), (190_000, 0...0)] {
      let feed = FeedParser.parse(head + Array(repeating: 0xEF, count: count) + tail, limits: limits)
      #expect(expected.contains(feed.title?.utf8.count ?? 0))
    }
  }

  @Test("the length of a summary is known, even when its text is not kept", arguments: [true, false])
  func summaries(isKept: Bool) {
    var limits = FeedLimits()
    limits.keepsSummaries = isKept
    for text in [
      "<rss version='2.0'><channel><item><guid>1</guid><description> abc </description><title>t</title></item>"
        + "</channel></rss>",
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"t","summary":" abc "}]}"#,
    ] {
      let item = FeedParser.parse(Array(text.utf8), limits: limits).items.first
      #expect(item?.summary == (isKept ? "abc" : nil))
      #expect(item?.contentLength == 3 && item?.title == "t" && item?.id == "1")
    }
  }

  @Test("a reference without end is not buffered")
  func endlessReference() {
    let text = String(repeating: "& ", count: 100_000)
    let feed = parse("<rss version='2.0'><channel><title>\(text)</title></channel></rss>")
    #expect(feed.recovered)
    // A limit stops the repair inside the title, which is then left out.
    #expect(!feed.isComplete && feed.title == nil)
    #expect(feed.diagnostics.first?.message.hasSuffix("a reference without end") == true)
  }

  @Test("values beside the items have a limit")
  func manyOtherValues() {
    let feed = parse(
      #"{"version":"https://jsonfeed.org/version/1.1","x":[\#(String(repeating: "1,", count: 200_000))1],"items":[]}"#
    )
    #expect(feed.items.isEmpty)
    #expect(feed.diagnostics.contains { $0.code == FeedRule.tooManyItems.code })
  }

  @Test("a run of invalid bytes becomes one replacement character")
  func invalidBytes() {
    let bytes =
      Array("<rss version='2.0'><channel><title>привет a".utf8) + Array(repeating: 0xFE, count: 100)
      + Array("b привет</title></channel></rss>".utf8)
    let feed = FeedParser.parse(bytes + Array(repeating: 0x20, count: 10))
    #expect(feed.title?.contains("a\u{FFFD}b") == true || feed.encoding != "utf-8")
    #expect((feed.title ?? "").unicodeScalars.count < 150)
  }

  @Test("too many distinct names end the parsing")
  func manyNames() {
    let names = (0..<30_000).map { "<n\($0)/>" }.joined()
    let feed = parse("<rss version='2.0'><channel><title>t</title>\(names)</channel></rss>")
    #expect(feed.title == "t")
    #expect(feed.diagnostics.contains { $0.code == FeedRule.startTagTooLong.code })
  }

  @Test("an unclosed CDATA section takes the rest of the document, whose last item is then not known")
  func openSection() {
    let text = String(repeating: "й", count: 200_000)
    let feed = parse(
      "<rss version='2.0'><channel><title>t</title><item><description><![CDATA[\(text)</description></item>")
    #expect(feed.title == "t" && feed.items.isEmpty)
    #expect(feed.recovered && !feed.isComplete)
  }

  @Test("duplicate ids are found among many items")
  func distinctIDs() {
    let items = (0..<500).map { "<item><guid>tag:example.com,2026:item-\($0)</guid></item>" }.joined()
    let head = "<rss version='2.0'><channel>"
    #expect(
      !parse("\(head)\(items)</channel></rss>").diagnostics.contains { $0.code == FeedRule.duplicateID.code })
    let again = "<item><guid>tag:example.com,2026:item-77</guid></item></channel></rss>"
    #expect(parse("\(head)\(items)\(again)").diagnostics.contains { $0.code == FeedRule.duplicateID.code })
  }
}
