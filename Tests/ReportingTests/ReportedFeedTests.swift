import CloudKitModel
import FeedHealth
import FeedState
import Testing

@testable import Reporting

@Suite struct ReportedFeedTests {
  private func feed(_ name: String = "a", _ change: (inout SampleFeed) -> Void = { _ in }) -> ReportedFeed {
    ReportedFeed(CatalogHealth([SampleFeed(name).with(change)]).feeds[0], at: .monday)
  }

  @Test(
    "a feed is named by its title, its address or its record's name, the first that is not empty",
    arguments: [("T", "u", "T"), ("", "u", "u"), (nil, "u", "u"), ("", "", "name"), (nil, "", "name")]
      as [(String?, String, String)])
  func title(title: String?, url: String, shown: String) {
    let feed = feed("name") {
      $0.title = title
      $0.url = url
    }
    #expect(feed.title == shown)
  }

  @Test(
    "quality is from 0 to 100 in tenths",
    arguments: [
      (nil, nil), (-0.1, 0), (0, 0), (0.04, 0), (0.05, 1), (87.55, 876), (99.94, 999), (100, 1000),
      (100.1, 1000),
      (.infinity, nil), (.nan, nil),
    ] as [(Double?, Int64?)])
  func quality(stored: Double?, tenths: Int64?) {
    #expect(feed { $0.quality = stored }.quality == tenths)
    let unchecked = feed {
      $0.quality = stored
      $0.status = .unknown
    }
    #expect(unchecked.quality == nil && unchecked.score == nil)
  }

  @Test(
    "uptime is rounded down",
    arguments: [([(0, 0)], nil), ([(0, 1)], 0), ([(1, 0)], 1000), ([(2, 1)], 666), ([(1999, 1)], 999)]
      as [([(Int64, Int64)?], Int64?)])
  func uptime(days: [(Int64, Int64)?], tenths: Int64?) { #expect(feed { $0.days = days }.uptime == tenths) }

  @Test("a checked feed has a score, in which readers that are not known are none")
  func score() {
    #expect(QualityPartMeans([feed()]).parts.last?.mean == 0)
    #expect(QualityPartMeans([feed { $0.readers = 5000 }]).parts.last?.mean == 100)
  }

  /// Each feed is worse than the next.
  static let order: [(HealthStatus, Int64?, url: String, name: String)] = [
    (.down, 5, "u", "a"), (.down, 1, "u", "a"), (.degraded, 9, "u", "a"), (.degraded, 9, "v", "a"),
    (.degraded, 9, "v", "b"), (.degraded, 0, "u", "a"), (.degraded, nil, "u", "a"),
    (.degraded, nil, "v", "a"),
    (.unknown, 7, "u", "a"), (.unknown, nil, "u", "a"), (.healthy, 8, "u", "a"), (.healthy, nil, "u", "a"),
  ]

  @Test("the worst is first: by status, then by readers, address and name")
  func order() {
    let feeds = Self.order.map { status, readers, url, name in
      feed(name) {
        $0.status = status
        $0.readers = readers
        $0.url = url
      }
    }
    for (left, one) in feeds.enumerated() {
      for (right, other) in feeds.enumerated() {
        #expect(ReportedFeed.isWorse(one, other) == (left < right), "\(left) and \(right)")
      }
    }
  }

  @Test(
    "a day begins at midnight UTC, before 1970 too",
    arguments: [
      (0, 0), (1, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_399_999, -1), (-86_400_000, -1),
      (-86_400_001, -2), (1_728_000_000_000, 20_000), (1_727_999_999_999, 19_999),
    ] as [(Int64, Int64)])
  func utcDay(milliseconds: Int64, day: Int64) {
    #expect(Timestamp(milliseconds: milliseconds).utcDay == day)
  }

  @Test(
    "a time is shown to the minute; what is no date stays a number",
    arguments: [
      (0, "1970-01-01 00:00 UTC"), (59_999, "1970-01-01 00:00 UTC"),
      (1_772_452_861_123, "2026-03-02 12:01 UTC"),
      (.max, "9223372036854775807"),
    ] as [(Int64, String)])
  func minute(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).minute == text)
  }
}
