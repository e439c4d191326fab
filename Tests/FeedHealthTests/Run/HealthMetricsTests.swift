import CloudKitModel
import Diagnostics
import FeedState
import Platform
import RecordChanges
import Testing

@testable import FeedHealth

@Suite struct HealthMetricsTests {
  /// A run of any outcome.
  private static func report(_ random: inout SeededGenerator) -> HealthRunResult {
    var report = HealthRunResult()
    let statuses = HealthStatus.allCases
    report.feeds = (0..<Int.random(in: 0...20, using: &random)).map { index in
      FeedResult(
        recordName: "f\(index)", feedURL: "http://a.example/\(index)",
        status: [.healthy, .degraded, .down].randomElement(using: &random) ?? .healthy,
        checkedAt: Timestamp(milliseconds: 2_000_000), reasons: [],
        notModified: Bool.random(using: &random))
    }
    let reasons: [SkippedFeed.Reason] = [
      .notDue(until: .monday), .hostAsksToWait(until: .monday), .robots, .budget,
      .ownRules(.addressForbidden, detail: "10.0.0.1"), .ownRules(.tooManyRedirects, detail: "11"),
    ]
    report.skipped = (0..<Int.random(in: 0...20, using: &random)).map { index in
      SkippedFeed(
        recordName: "s\(index)", feedURL: "http://b.example/\(index)",
        status: statuses.randomElement(using: &random) ?? .healthy,
        reason: reasons.randomElement(using: &random) ?? .budget,
        lastCheck: Bool.random(using: &random) ? Timestamp(milliseconds: 1_000_000) : nil)
    }
    if Int.random(in: 0..<5, using: &random) == 0 { report.outage = LocalOutage(counts: [.noConnection: 6]) }
    report.isInterrupted = Int.random(in: 0..<5, using: &random) == 0
    report.isOfAll = Bool.random(using: &random)
    return report
  }

  private func sum(_ family: MetricFamily, _ label: String? = nil, of metrics: [Metric]) -> Double {
    metrics.filter { $0.family == family && (label == nil || $0.labels.contains { $0.value == label }) }
      .reduce(0) { $0 + $1.value }
  }

  @Test("metrics, JSON, the line of counts and the exit status of a run say the same", arguments: 0..<200)
  func agreement(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let run = Self.report(&random)
    let level = [nil, HealthRunReport.FailLevel.degraded, .down].randomElement(using: &random) ?? nil
    let report = HealthRunReport(run, failLevel: level)
    let metrics = report.metrics
    let json = report.json
    for key in ["healthy", "degraded", "down"] {
      #expect(json[key] == .integer(Int64(sum(HealthRunResult.checkedFamily, key, of: metrics))))
    }
    #expect(json["checked"] == .integer(Int64(sum(HealthRunResult.checkedFamily, of: metrics))))
    #expect(json["skippedCount"] == .integer(Int64(sum(HealthRunResult.skippedFamily, of: metrics))))
    #expect(json["notModified"] == .integer(Int64(sum(HealthRunResult.notModifiedFamily, of: metrics))))
    #expect((json["outage"] != nil) == (sum(HealthRunResult.outageFamily, of: metrics) == 1))
    if let tally = report.tally?.description, !run.feeds.isEmpty {
      let down = Int(sum(HealthRunResult.checkedFamily, "down", of: metrics))
      #expect(tally.hasPrefix("\(run.checked) checked: ") && tally.contains(", \(down) down; "))
    }
    if let level, run.outage == nil, !run.isInterrupted {
      // The whole catalog counts, also what was not due.
      let bad = [HealthStatus.degraded, .down].filter { level == .degraded || $0 == .down }
      let checked = bad.reduce(0) { $0 + sum(HealthRunResult.checkedFamily, $1.rawValue, of: metrics) }
      let others = run.skipped.count { bad.contains($0.status) }
      #expect((report.status == .findings) == (checked > 0 || others > 0))
    }
    if run.outage != nil { #expect(report.status == .failed) }
  }

  @Test("the state of all feeds is given only after a run that looked at all of them", arguments: 0..<100)
  func allFeeds(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let run = Self.report(&random)
    let feeds = run.metrics.filter { $0.family == HealthRunResult.feedsFamily }
    #expect(feeds.isEmpty == (!run.isOfAll || run.isInterrupted || run.outage != nil))
    guard !feeds.isEmpty else { return }
    #expect(feeds.map(\.labels).map { $0[0].value } == ["healthy", "degraded", "down", "unknown"])
    #expect(feeds.reduce(0) { $0 + $1.value } == Double(run.feeds.count + run.skipped.count))
    let oldest = run.metrics.first { $0.family == HealthRunResult.oldestCheckFamily }
    let checks = run.skipped.map { $0.lastCheck == nil ? 0.0 : 1000 } + run.feeds.map { _ in 2000.0 }
    #expect(oldest?.value == checks.min())
  }

  @Test("no label holds the name or the address of a feed")
  func cardinality() {
    var random = SeededGenerator(seed: 7)
    let values = Self.report(&random).metrics.flatMap(\.labels).map(\.value)
    #expect(values.allSatisfy { !$0.contains("example") && !$0.hasPrefix("f1") && !$0.hasPrefix("s1") })
  }
}
