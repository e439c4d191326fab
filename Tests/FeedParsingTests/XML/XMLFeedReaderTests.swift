import Diagnostics
import Testing

@testable import FeedParsing

@Suite struct XMLFeedReaderTests {
  private static let feed = "<rss version='2.0'><channel><title>T</title></channel></rss>"

  private func parse(
    _ text: String, _ contentType: String? = nil, _ change: (inout FeedLimits) -> Void = { _ in }
  )
    -> ParsedFeed
  {
    var limits = FeedLimits()
    change(&limits)
    return FeedParser.parse(text.utf8, contentType: contentType, limits: limits)
  }

  @Test("a feed after other text is looked for in the first 64 KiB")
  func later() {
    // The mark of the feed has four bytes.
    for (count, isFound) in [(65_525, true), (65_526, false)] {
      let feed = parse("<b>\(String(repeating: "x", count: count))</b>\(Self.feed)")
      #expect((feed.title == "T") == isFound && (feed.format == .rss20) == isFound, "\(count)")
    }
    for root in ["<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title></feed>", Self.feed] {
      let feed = parse("<b>x</b>" + root)
      #expect(feed.title == "T" && feed.recovered && !feed.wellFormed)
      #expect(feed.diagnostics.first?.code == FeedRule.illFormed.code)
    }
    #expect(parse("<b>x</b>\(Self.feed)<feed><title>U</title></feed>").title == "T")
    #expect(parse("<b>x</b><rss").format == .rss20)
  }

  @Test(
    "a document is well-formed when the first pass read all of it, with everything declared",
    arguments: [
      ("T", true), ("&amp;", true), ("&eacute;", false), ("<x:b/>", false), ("<b>", false), ("&", false),
    ])
  func wellFormed(title: String, expected: Bool) {
    let feed = parse(Self.feed.replacing("T<", with: "\(title)<"))
    #expect(feed.wellFormed == expected && feed.recovered == !expected)
    #expect(feed.format == .rss20)
  }

  @Test("the encoding that a document declares is reported beside the one it is read in")
  func encodings() {
    func read(_ declaration: String, _ contentType: String? = nil) -> (String, String?, [String], Bool) {
      let feed = parse(
        "<?xml version='1.0' encoding='\(declaration)'?>" + Self.feed.replacing("T<", with: "é<"), contentType
      )
      return (feed.encoding, feed.declaredEncoding, feed.diagnostics.map(\.code), feed.wellFormed)
    }
    let mismatch = FeedRule.encodingMismatch.code
    #expect(read("utf-8") == ("utf-8", "utf-8", [], true))
    #expect(read("iso-8859-1") == ("utf-8", "iso-8859-1", [mismatch], true))
    #expect(read("us-ascii") == ("us-ascii", "us-ascii", [mismatch], true))
    #expect(read("made-up") == ("utf-8", "made-up", [FeedRule.unknownEncoding.code], false))
    #expect(read("utf-8", "text/xml; charset=iso-8859-1") == ("utf-8", "iso-8859-1", [mismatch], true))
  }

  @Test("the depth has a limit, which ends the reading with a finding")
  func depth() {
    for (depth, isRead) in [(3, true), (2, false)] {
      let feed = parse(Self.feed) { $0.depth = depth }
      #expect((feed.title == "T") == isRead && feed.wellFormed == isRead, "\(depth)")
      #expect(feed.diagnostics.map(\.code) == (isRead ? [] : [FeedRule.tooDeep.code]))
    }
  }

  @Test(
    "what a prolog declares is reported",
    arguments: [
      ("", []), ("<!DOCTYPE rss SYSTEM 'x.dtd'>", [FeedRule.externalDeclaration.code]),
      ("<!DOCTYPE rss [<!ENTITY x '&y;'>]>", [FeedRule.entityExpansion.code]),
      ("<!DOCTYPE rss [<!ENTITY x 'y'>]>", []),
      ("<!DOCTYPE rss PUBLIC 'x' 'y'>", []),
    ])
  func prologs(prolog: String, expected: [String]) {
    #expect(parse(prolog + Self.feed).diagnostics.map(\.code) == expected)
  }

  @Test("a page of HTML is no feed, and is named as what it is")
  func pages() {
    for text in [
      "<!DOCTYPE html><html><body>x</body></html>", "<html><body>x</body></html>", "<!DOCTYPE html><b>x",
    ] {
      let feed = parse(text)
      #expect(feed.format == .unknown && !feed.wellFormed && !feed.recovered)
      #expect(feed.diagnostics.contains { $0.code == FeedRule.htmlPage.code })
    }
    #expect(parse("<!DOCTYPE html>" + Self.feed).diagnostics.isEmpty)
  }
}
