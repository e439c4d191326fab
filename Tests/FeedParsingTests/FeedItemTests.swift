import FeedParsing
import Testing

/// Items share the memory that their texts lie in; nobody should notice.
@Suite struct FeedItemTests {
  private func items(_ body: String, limits: FeedLimits = FeedLimits()) -> FeedItems {
    FeedParser.parse("<rss version='2.0'><channel>\(body)</channel></rss>".utf8, limits: limits).items
  }

  @Test("items with equal values are equal, wherever their texts are")
  func equality() {
    let item = """
      <item><title>T</title><link>http://e.org/1</link><guid>g</guid><author>N</author>
      <description>S</description><enclosure url="http://e.org/a.mp3" type="audio/mpeg" length="7"/></item>
      """
    let read = items("<item><title>A</title></item>" + item)
    #expect(read.last == items(item).first)
    #expect(read.last != items(item.replacing("length=\"7\"", with: "length=\"8\"")).first)
    #expect(read.first != read.last)
    #expect(read == items("<item><title>A</title></item>" + item))
    #expect(read != items(item + item))
  }

  @Test("an item outlives its feed")
  func lifetime() {
    let last = items(String(repeating: "<item><title>a title of some length</title></item>", count: 100)).last
    #expect(last?.title == "a title of some length")
  }

  @Test("an empty text counts as absent")
  func absence() {
    let item = items("<item><title> </title><link>http://e.org</link></item>").first
    #expect(item?.title == nil && item?.hasTitle == false && item?.hasURL == true)
    #expect(items("<item><link> </link><title>T</title></item>").first?.hasURL == false)
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
    #expect(items.map { $0.enclosures.map(\.url) } == [[], ["http://e.org/2.mp3"]])
  }

  @Test("C1 control characters are read as windows-1252 in all texts")
  func controls() {
    let items = items("<item><title>plain</title></item><item><title>it\u{92}s</title></item>")
    #expect(items.map(\.title) == ["plain", "it’s"])
  }
}
