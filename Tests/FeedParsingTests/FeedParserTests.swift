import Diagnostics
import Testing

@testable import FeedParsing

@Suite struct FeedParserTests {
  private static let head = "<rss version='2.0'><channel><title>T</title>"
  private static let end = "</channel></rss>"

  private func codes(_ text: String, contentType: String? = nil, bytes: Int = 1 << 20) -> [String] {
    var limits = FeedLimits()
    limits.bytes = bytes
    return FeedParser.parse(text.utf8, contentType: contentType, limits: limits).diagnostics.map(\.code)
  }

  @Test("a document of exactly the limit is read whole; a longer one is cut, and that is reported")
  func bytes() {
    let text = Self.head + "<item><guid>1</guid></item>" + Self.end
    #expect(codes(text, bytes: text.utf8.count) == [])
    var limits = FeedLimits()
    limits.bytes = text.utf8.count - 1
    let feed = FeedParser.parse(text.utf8, limits: limits)
    #expect(feed.diagnostics.map(\.code) == [FeedRule.tooManyBytes.code])
    #expect(feed.diagnostics.map(\.message) == ["only the first \(text.utf8.count - 1) bytes were read"])
    #expect(!feed.wellFormed && feed.recovered && feed.title == "T" && feed.items.map(\.id) == ["1"])
  }

  @Test(
    "a media type that no feed has is reported",
    arguments: [
      (nil, false), ("", false), ("text/xml", false), ("application/atom+xml", false),
      ("application/xml-dtd", false),
      ("application/json", false), ("text/rss", false), ("application/atom", false),
      ("application/octet-stream", false), ("text/html", true),
      ("text/plain", true), ("image/png; x=xml", true),
    ] as [(String?, Bool)])
  func contentTypes(contentType: String?, isReported: Bool) {
    #expect(
      codes(Self.head + Self.end, contentType: contentType) == (isReported ? [FeedRule.contentType.code] : [])
    )
  }

  @Test("an empty document, a document that is no feed, and ids that are missing or repeated are reported")
  func whole() {
    #expect(codes("") == [FeedRule.empty.code])
    #expect(codes(" \n").contains(FeedRule.empty.code) && !codes(" \n").contains(FeedRule.notAFeed.code))
    #expect(codes("<a/>") == [FeedRule.notAFeed.code])
    func items(_ ids: [String]) -> String {
      Self.head + ids.map { "<item>\($0)</item>" }.joined() + Self.end
    }
    #expect(codes(items(["<guid>1</guid>", "<guid>2</guid>"])) == [])
    #expect(codes(items(["<guid>1</guid>", "<guid>1</guid>"])) == [FeedRule.duplicateID.code])
    #expect(codes(items(["<guid>1</guid>", "<title>a</title>"])) == [FeedRule.missingID.code])
    #expect(
      codes(items(["<title>a</title>", "<title>a</title>"])) == [
        FeedRule.missingID.code, FeedRule.duplicateID.code,
      ])
  }
}
