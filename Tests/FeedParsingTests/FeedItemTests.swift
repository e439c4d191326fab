import FeedParsing
import Testing

/// Items share the memory that their texts lie in; nobody should notice.
@Suite struct FeedItemTests {
  private func items(_ body: String, limits: FeedLimits = FeedLimits()) -> FeedItems {
    FeedParser.parse("<rss version='2.0'><channel>\(body)</channel></rss>".utf8, limits: limits).items
  }

  @Test("values that rank lower, are replaced or dropped do not change other texts")
  func replacedTexts() {
    var limits = FeedLimits()
    limits.items = 2
    let items = items(
      """
      <item><link>http://e.org/old</link><link>http://e.org/new</link><title>T1</title><title>later</title></item>
      <item><title>T2</title><enclosure url="http://e.org/2.mp3"/></item>
      <item><title>dropped</title><enclosure url="http://e.org/3.mp3"/></item>
      <author>not of an item</author>
      """, limits: limits)
    #expect(items.map(\.title) == ["T1", "T2"])
    #expect(items.map(\.url) == ["http://e.org/new", nil])
    #expect(items.map(\.enclosure) == [nil, "http://e.org/2.mp3"])
  }

  @Test("C1 control characters are read as windows-1252 in all texts")
  func controls() {
    let items = items("<item><title>plain</title></item><item><title>it\u{92}s</title></item>")
    #expect(items.map(\.title) == ["plain", "it’s"])
  }
}
