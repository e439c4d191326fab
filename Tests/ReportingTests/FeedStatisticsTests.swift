import Catalog
import CloudKitModel
import FeedState
import Testing

@testable import FeedHealth
@testable import Reporting

@Suite struct FeedStatisticsTests {
  private func feeds(_ feeds: [SampleFeed]) -> [ReportedFeed] {
    CatalogHealth(feeds).feeds.map { ReportedFeed($0, at: .monday) }
  }

  private func checks(_ histories: [[(Int64, Int64)?]]) -> DailyChecks {
    DailyChecks(
      feeds(histories.map { days in SampleFeed("a").with { $0.days = days } }), today: Timestamp.monday.utcDay
    )
  }

  @Test("checks of all feeds are added up day by day, and shares are rounded down")
  func dailyChecks() {
    let both = checks([[(3, 0), nil, (1, 1)], [(0, 0), nil, (2, 0)]])
    #expect(both.shares == [1000, 750] && both.share == 857)
    #expect(checks([[(0, 2)]]).shares == [0] && checks([[(0, 2)]]).share == 0)
    for none in [checks([]), checks([[nil]]), checks([[(0, 0)]])] {
      #expect(none.share == nil && none.shares.isEmpty)
    }
  }

  @Test("the window is 30 days, today included")
  func window() {
    let month: [(Int64, Int64)?] = Array(repeating: (1, 0), count: 29)
    #expect(checks([[(0, 1)] + month]).share == 966)
    #expect(checks([[(0, 1), nil] + month]).share == 1000)
    let tomorrow = DailyChecks(
      feeds([SampleFeed("a").with { $0.days = [(1, 0), (0, 1)] }]), today: Timestamp.monday.utcDay - 1)
    #expect(tomorrow.shares == [1000])
  }

  @Test("each part of quality has its mean over the checked feeds, rounded down")
  func qualityParts() throws {
    let none = QualityPartMeans(feeds([SampleFeed("a").with { $0.status = .unknown }]))
    #expect(none.parts.isEmpty && none.feeds == 0)
    var health = CatalogHealth([
      SampleFeed("a"), SampleFeed("b"), SampleFeed("c").with { $0.status = .unknown },
    ])
    health.feeds[0].metadata.validity = 0.25
    health.feeds[1].metadata.validity = 0.52
    health.feeds[1].metadata.idHygiene = 1
    let means = QualityPartMeans(health.feeds.map { ReportedFeed($0, at: .monday) })
    #expect(means.feeds == 2)
    #expect(
      means.parts.map(\.name) == [
        "reliability", "freshness", "cadence", "validity", "completeness", "full content", "transport",
        "item ids",
        "popularity",
      ])
    #expect(means.parts.map(\.weight) == [35, 15, 10, 10, 10, 5, 5, 5, 5])
    // What is not known counts half. Nobody reads these feeds.
    #expect(means.parts.map(\.mean).suffix(6) == [38, 50, 50, 50, 75, 0])
  }

  private func distribution(_ readers: [Int64?]) -> SubscriberDistribution {
    SubscriberDistribution(feeds(readers.map { count in SampleFeed("a").with { $0.readers = count } }))
  }

  @Test("each step holds its first and its last number of readers")
  func steps() {
    let all = distribution([-5, 0, 1, 9, 10, 99, 100, 999, 1000, 9999, 10_000, .max, nil, nil])
    #expect(all.steps.map(\.feeds) == [2, 2, 2, 2, 2, 2] && all.uncounted == 2)
    #expect(
      all.steps.map(\.label)
        == ["none", "1 to 9", "10 to 99", "100 to 999", "1,000 to 9,999", "10,000 and more"])
    #expect(distribution([]).steps.map(\.feeds) == [0, 0, 0, 0, 0, 0] && distribution([]).uncounted == 0)
  }

  @Test(
    "the tenth of the feeds with the most readers is rounded up to a whole feed",
    arguments: [(1, 100), (2, 50), (9, 11), (10, 10), (11, 18), (20, 10), (21, 14)])
  func topTenth(count: Int, share: Int) {
    #expect(distribution(Array(repeating: 3, count: count)).shareOfTopTenth == share)
  }

  @Test("the share of the top tenth is of all readers; without readers there is none")
  func shares() {
    #expect(distribution([1, 5, 2, nil, 0]).shareOfTopTenth == 62)
    #expect(distribution([-9, 1]).shareOfTopTenth == 100)
    for none in [[], [nil], [0, 0], [-3]] as [[Int64?]] { #expect(distribution(none).shareOfTopTenth == nil) }
  }

  @Test(
    "the verdict names the kinds of feeds that need attention",
    arguments: [
      ([.down, .unknown, .degraded, .healthy], "Of 4 feeds: 1 down, 1 degraded, 1 not checked."),
      ([.down, .healthy, .down], "Of 3 feeds: 2 down."),
      ([.unknown, .healthy], "Of 2 feeds: 1 not checked."),
      ([.healthy, .degraded], "Of 2 feeds: 1 degraded."),
      ([.unknown, .unknown], "None of the 2 feeds was ever checked."),
      ([.healthy, .healthy], "All 2 feeds are healthy."), ([.degraded], "The one feed is degraded."),
      ([.healthy], "The one feed is healthy."), ([], "The container has no feeds."),
      ([.unknown], "The one feed was never checked."),
    ] as [([HealthStatus], String)])
  func verdict(states: [HealthStatus], text: String) {
    #expect(
      CatalogHealth(states.map { status in SampleFeed("a").with { $0.status = status } }).verdict == text)
  }
}
