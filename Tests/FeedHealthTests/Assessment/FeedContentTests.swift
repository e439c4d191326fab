import FeedParsing
import Testing

@testable import CloudKitModel
@testable import FeedHealth

@Suite struct FeedContentTests {
  private func parsed(_ channel: String) -> ParsedFeed {
    FeedParser.parse("<rss version='2.0'><channel>\(channel)</channel></rss>".utf8)
  }

  private func dates(_ days: [Double]) -> [FeedDate] {
    days.map { FeedDate(milliseconds: Timestamp.monday.milliseconds - Int64($0 * 86_400_000)) }
  }

  @Test(
    "articles per week are the gaps over their time, and the items over the time until now after a long silence",
    arguments: [
      // Two a week apart, and one a day until now.
      ([0.0, 7], 1.0), ([0, 1, 2, 3], 7), ([1, 3, 5], 3.5),
      // 20 items in three hours are 160 a day.
      (Array(stride(from: 0, through: 0.11875, by: 0.00625)), 1120),
      // The silence since is longer than each gap: from the first item until now.
      ([7, 8, 14], 1.5), ([10, 10.5, 20], 1.05), ([100, 200], 0.07),
      // Neither one date nor one repeated says a rate.
      ([0.1], nil), ([3, 3, 3], nil), ([], nil),
      // Before the 28 days, dates count only when these hold no two.
      ([0, 7, 14, 21, 28, 29, 30, 31], 1), ([5, 40, 41, 42], 0.2),
    ] as [([Double], Double?)])
  func perWeek(days: [Double], expected: Double?) {
    let rate = PublishingRhythm(dates: dates(days), now: .monday).articlesPerWeek
    #expect(rate.map { ($0 * 1e4).rounded() / 1e4 } == expected)
  }

  @Test("completeness is the mean of nine parts")
  func completeness() {
    #expect(FeedContent(ParsedFeed(), at: .monday).completeness == 0)
    let feed = parsed(
      """
      <title>t</title><language>en</language>
      <item><title>t</title></item><item><description>d</description></item>
      """)
    #expect(FeedContent(feed, at: .monday).completeness == 2.5 / 9)
  }

  @Test(
    "ids are sound when every item has one of its own; a link will do",
    arguments: [
      ("<item><guid>1</guid></item><item><link>http://a.example/2</link></item>", 1.0),
      ("<item><guid>1</guid></item><item><guid>1</guid></item>", 0.5),
      ("<item><guid>1</guid></item><item><title>T</title></item>", 0.5),
      ("<item><guid>1</guid></item><item><guid>1</guid></item><item/><item><title>T</title></item>", 1.0 / 3),
    ])
  func ids(items: String, expected: Double) {
    #expect(FeedContent(ParsedFeed(), at: .monday).idHygiene == nil)
    #expect(FeedContent(parsed(items), at: .monday).idHygiene == expected)
  }

  @Test("dates count up to exactly two days ahead, and from the millisecond after the epoch")
  func dateLimits() {
    func newest(_ milliseconds: Int64) -> Int64? {
      PublishingRhythm(dates: [FeedDate(milliseconds: milliseconds)], now: .monday).newest?.milliseconds
    }
    let now = Timestamp.monday.milliseconds
    #expect(newest(now + 172_800_000) == now && newest(now + 172_800_001) == nil)
    #expect(
      newest(0) == nil && newest(1) == 1 && newest(-1) == nil && newest(now) == now
        && newest(now - 1) == now - 1)
  }

  @Test("dates that all lie ahead are wrong, unless they are different days of the next two years")
  func future() {
    func isWrong(_ days: [Double]) -> Bool {
      let items = days.map { day in
        let date = FeedDate(milliseconds: Timestamp.monday.milliseconds + Int64(day * 86_400_000))
        return "<item><pubDate>\(date.iso8601)</pubDate></item>"
      }
      return FeedContent(parsed(items.joined()), at: .monday).hasOnlyFutureDates
    }
    #expect(!isWrong([]) && !isWrong([-1]) && !isWrong([1]) && isWrong([3]) && !isWrong([3, -1]))
    #expect(
      !isWrong([3, 4]) && isWrong([3, 3.1]) && !isWrong([3, 730]) && isWrong([3, 731]) && isWrong([800, 900]))
  }
}
