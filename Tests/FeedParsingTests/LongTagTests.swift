import Diagnostics
import FeedParsing
import Testing

/// A tag longer than the limit is refused before libxml2 parses it, whatever stands before it and however its bytes
/// arrive; other long constructs are not tags.
@Suite struct LongTagTests {
  private static let filler = String(repeating: "x", count: 400)
  /// Tags with up to 400 bytes between them: nearer to each other than the guard's stride, and farther apart.
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

  private static let pieces = [1, 100, 255, 256, 257, 1 << 20]

  private func parse(_ body: String, piece: Int, limits: FeedLimits = Self.limits) -> ParsedFeed {
    var parser = FeedParser(limits: limits)
    let bytes = Array("<rss version='2.0'><channel>\(Self.items)\(body)</channel></rss>".utf8)
    for start in stride(from: 0, to: bytes.count, by: piece) {
      parser.feed(bytes[start..<min(start + piece, bytes.count)])
    }
    return parser.finish()
  }

  private func isTooLong(_ feed: ParsedFeed) -> Bool {
    feed.diagnostics.contains { $0.code == FeedRule.startTagTooLong.code }
  }

  @Test("long text, comments, instructions and CDATA sections are not tags", arguments: others)
  func harmless(body: String) {
    for piece in Self.pieces {
      let feed = parse(body + "<ttl>60</ttl>", piece: piece)
      #expect(feed.wellFormed && feed.ttl == .seconds(3600) && feed.items.count == 100, "pieces of \(piece)")
    }
  }

  @Test("a long tag after them is refused", arguments: others)
  func refused(body: String) {
    for tag in [
      "<a b='\(Self.filler)'/>", "<a\(String(repeating: " ", count: 400))/>", "<a b='\(Self.filler)",
    ] {
      for piece in Self.pieces {
        #expect(isTooLong(parse(body + tag, piece: piece)), "pieces of \(piece)")
      }
    }
  }

  @Test("the limit is the length of the tag itself")
  func exact() {
    for piece in Self.pieces {
      let allowed = "<a b='\(String(repeating: "x", count: 292))'/>"
      let feed = parse(allowed, piece: piece)
      #expect(feed.wellFormed && !isTooLong(feed), "pieces of \(piece)")
      #expect(isTooLong(parse(allowed.replacing("='", with: "='xxx"), piece: piece)), "pieces of \(piece)")
    }
  }

  @Test("tags with many attributes are refused together", arguments: [64 << 10, 300, 50_000])
  func attributes(piece: Int) {
    let tag = "<a \((0..<5000).map { "a\($0)=''" }.joined(separator: " "))/>"
    #expect(isTooLong(parse(String(repeating: tag, count: 5), piece: piece, limits: FeedLimits())))
  }
}
