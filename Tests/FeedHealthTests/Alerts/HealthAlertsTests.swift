import FeedState
import Testing

@testable import CloudKitModel
@testable import FeedHealth

@Suite struct HealthAlertsTests {
  private func result(
    _ name: String, _ status: HealthStatus, before: HealthStatus? = nil, reasons: [HealthReason] = [],
    falls: [Int64] = []
  ) -> FeedResult {
    FeedResult(
      recordName: name, feedURL: "http://\(name).example/", title: nil, status: status,
      previousStatus: before,
      checkedAt: .monday, reasons: reasons, notModified: false,
      falls: FallHistory(falls.map { .monday + .seconds($0) }))
  }

  private func alerts(
    _ feeds: [FeedResult], skipped: [SkippedFeed] = [], since: Int64 = -100, start: Int64 = -50
  ) -> HealthAlerts {
    var run = HealthRunResult()
    run.feeds = feeds
    run.skipped = skipped
    return HealthAlerts(run, since: .monday + .seconds(since), start: .monday + .seconds(start), end: .monday)
  }

  @Test("a feed has recovered when it was down and answered")
  func recovered() {
    for (status, before, reasons, expected) in [
      (.healthy, .down, [], true), (.degraded, .down, [.recovering], true), (.down, .down, [], false),
      (.healthy, .degraded, [], false),
      (.degraded, .down, [.botWall], false), (.healthy, nil, [], false),
    ] as [(HealthStatus, HealthStatus?, [HealthReason], Bool)] {
      let feed = result("a", status, before: before, reasons: reasons)
      #expect(feed.hasRecovered == expected)
      #expect(alerts([feed]).recovered.map(\.recordName) == (expected ? ["a"] : []))
    }
  }

  @Test("falls since the last report count, and those of this run whatever the clocks say; skipped feeds too")
  func falls() {
    #expect(alerts([result("a", .down, falls: [-99])]).newlyDown.map(\.recordName) == ["a"])
    #expect(alerts([result("a", .down, falls: [-100])]).newlyDown.isEmpty)
    #expect(alerts([result("a", .down, falls: [-50])], since: 100).newlyDown.count == 1)
    #expect(alerts([result("a", .down, falls: [-51])], since: 100).newlyDown.isEmpty)
    #expect(alerts([result("a", .healthy, falls: [-99])]).newlyDown.isEmpty)
    #expect(alerts([result("a", .down, falls: [-200, -99])]).flapping.map(\.recordName) == ["a"])
    for status in [HealthStatus.down, .healthy] {
      let skipped = SkippedFeed(
        recordName: "s", feedURL: "", status: status, reason: .budget,
        falls: FallHistory([.monday + .seconds(-99)]))
      #expect(alerts([], skipped: [skipped]).newlyDown.count == (status == .down ? 1 : 0))
    }
  }

  @Test("sentences name ten feeds, and lists that are empty are left out")
  func sentences() {
    func sentence(_ count: Int) -> [String] {
      var alerts = HealthAlerts()
      alerts.newlyDown = (0..<count).map {
        HealthAlerts.Feed(recordName: "r\($0)", title: $0 == 0 ? "" : "T\($0)")
      }
      #expect(alerts.hasFalls == (count > 0))
      return alerts.sentences
    }
    #expect(sentence(0) == [] && sentence(1) == ["newly down: r0"] && sentence(2) == ["newly down: r0, T1"])
    #expect(
      sentence(10).first?.hasSuffix(", T9") == true
        && sentence(11).first?.hasSuffix(", T9 and 1 more") == true)
    var both = HealthAlerts()
    both.flapping = [HealthAlerts.Feed(recordName: "a"), HealthAlerts.Feed(recordName: "b")]
    both.recovered = [HealthAlerts.Feed(recordName: "a")]
    #expect(
      both.hasFalls && both.counts == ", 2 flapping, 1 recovered"
        && both.words == ["a": "flapping", "b": "flapping"])
    both.flapping = []
    #expect(!both.hasFalls && both.words == ["a": "recovered"] && HealthAlerts().counts == "")
  }
}
