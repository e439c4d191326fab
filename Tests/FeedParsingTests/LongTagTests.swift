import Diagnostics
import FeedParsing
import Testing

/// A tag longer than the limit is refused, whatever stands before it and wherever a slice of the parser ends; other long
/// constructs are not tags.
@Suite struct LongTagTests {
  private static let filler = String(repeating: "x", count: 400)
  /// Tags with up to 400 bytes between them.
  private static let items = (0..<100).map { number in
    "<item><guid>\(number)</guid>\(String(repeating: " ", count: number * 4))</item>"
  }.joined()

  /// Constructs that hold more bytes than the limit between a `<` and a `>`, and that are well-formed.
  private static let others = [
    "", filler, "<title>a</title>", "<title>\(filler) ! ? ' \" = &gt;</title>", "<!--\(filler)-->",
    "<!--<\(filler) <!\(filler) <?\(filler)-->", "<?pi \(filler)?>", "<?pi <\(filler) <!--\(filler)?>",
    "<title><![CDATA[<\(filler)]]></title>", "<title><![CDATA[<!--<a ='\(filler)]] ]> ]]]></title>",
    "<title a='>' b=\">\">\(filler)</title>",
  ]

  private static let limits = {
    var limits = FeedLimits()
    limits.startTag = 300
    return limits
  }()

  /// Bytes of what is parsed that come before the end of a slice that libxml2 gets: it has 16 KB.
  private static let ends = Array(0...12) + [100, 255, 256, 257, 300, 399, 400, 401, 410, 500, 600]

  private func parse(_ body: String, end: Int, limits: FeedLimits = Self.limits) -> ParsedFeed {
    let head = "<rss version='2.0'><channel>\(Self.items)"
    let spaces = String(repeating: " ", count: (64 << 10) - end - head.utf8.count)
    return FeedParser.parse("\(head)\(spaces)\(body)</channel></rss>".utf8, limits: limits)
  }

  private func isTooLong(_ feed: ParsedFeed) -> Bool {
    feed.diagnostics.contains { $0.code == FeedRule.startTagTooLong.code }
  }

  @Test("long text, comments, instructions and CDATA sections are not tags", arguments: others)
  func harmless(body: String) {
    for end in Self.ends {
      let feed = parse(body + "<ttl>60</ttl>", end: end)
      #expect(
        feed.wellFormed && feed.ttl == .seconds(3600) && feed.items.count == 100, "slice ends after \(end)")
    }
  }

  @Test("a long tag after them is refused", arguments: others)
  func refused(body: String) {
    for tag in [
      "<a b='\(Self.filler)'/>", "<a\(String(repeating: " ", count: 400))/>", "<a b='\(Self.filler)",
    ] {
      for end in Self.ends {
        #expect(isTooLong(parse(body + tag, end: end)), "slice ends after \(end)")
      }
    }
  }

  @Test("the limit is the length of the tag itself")
  func exact() {
    for end in Self.ends {
      let allowed = "<a b='\(String(repeating: "x", count: 292))'/>"
      let feed = parse(allowed, end: end)
      #expect(feed.wellFormed && !isTooLong(feed), "slice ends after \(end)")
      #expect(isTooLong(parse(allowed.replacing("='", with: "='xxx"), end: end)), "slice ends after \(end)")
    }
  }

  @Test("tags with many attributes are refused together")
  func attributes() {
    let tag = "<a \((0..<5000).map { "a\($0)=''" }.joined(separator: " "))/>"
    #expect(isTooLong(parse(String(repeating: tag, count: 5), end: 300, limits: FeedLimits())))
  }
}
