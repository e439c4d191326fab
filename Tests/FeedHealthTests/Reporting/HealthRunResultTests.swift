import Diagnostics
import FeedState
import Testing

@testable import CloudKitModel
@testable import FeedHealth

@Suite struct HealthRunResultTests {
  private func feed(
    _ name: String, _ status: HealthStatus, reasons: [HealthReason] = [], host: String = "a.example"
  ) -> FeedResult {
    FeedResult(
      recordName: name, feedURL: "http://\(host)/\(name)", title: name, status: status, checkedAt: .monday,
      reasons: reasons,
      notModified: name.hasPrefix("n"))
  }

  private func skipped(_ name: String, _ status: HealthStatus, _ reason: SkippedFeed.Reason = .budget)
    -> SkippedFeed
  {
    SkippedFeed(recordName: name, feedURL: "http://a.example/\(name)", status: status, reason: reason)
  }

  private func run(
    _ feeds: [FeedResult], _ skipped: [SkippedFeed] = [], _ change: (inout HealthRunResult) -> Void = { _ in }
  )
    -> HealthRunResult
  {
    var run = HealthRunResult()
    (run.feeds, run.skipped) = (feeds, skipped)
    change(&run)
    return run
  }

  @Test("feeds are counted by status, and those as bad as a status or worse are found")
  func counts() {
    let result = run(
      [feed("a", .healthy), feed("n", .degraded), feed("c", .down), feed("d", .down)],
      [skipped("u", .unknown), skipped("h", .healthy), skipped("x", .degraded), skipped("y", .down)])
    #expect(
      result.checked == 4 && result.notModified == 1 && result.count(of: .down) == 2
        && result.count(of: .unknown) == 0)
    #expect(result.unchecked(atLeast: .degraded).map(\.recordName) == ["x", "y"])
    #expect(result.unchecked(atLeast: .down).map(\.recordName) == ["y"])
    #expect(result.unchecked(atLeast: .healthy).map(\.recordName) == ["x", "y"])
    for (status, degraded, down) in [
      (HealthStatus.healthy, false, false), (.unknown, false, false), (.degraded, true, false),
      (.down, true, true),
    ] {
      #expect(run([feed("a", status)]).hasChecked(atLeast: .degraded) == degraded)
      #expect(run([feed("a", status)]).hasChecked(atLeast: .down) == down)
    }
    #expect(
      !HealthRunResult().readsOnlyDue && HealthRunResult().notes.isEmpty && !HealthRunResult().localOutage)
  }

  @Test("a run is refused everywhere when each of its feeds is, on two hosts or more")
  func refused() {
    let wall = [HealthReason.botWall]
    for (feeds, expected, count) in [
      ([], false, 0), ([feed("a", .degraded, reasons: wall)], false, 1),
      ([feed("a", .degraded, reasons: wall), feed("b", .degraded, reasons: wall)], false, 2),
      (
        [feed("a", .degraded, reasons: wall), feed("b", .degraded, reasons: wall, host: "b.example")], true, 2
      ),
      (
        [feed("a", .degraded, reasons: wall), feed("b", .degraded, reasons: [.slow], host: "b.example")],
        false, 1
      ),
    ] as [([FeedResult], Bool, Int)] {
      #expect(run(feeds).isRefusedEverywhere == expected && run(feeds).refused == count)
      #expect(run(feeds).warnings.isEmpty == !expected)
    }
  }

  @Test("the summary counts what was checked and why feeds were skipped")
  func summaries() {
    #expect(run([]).summary == "no feeds to check")
    #expect(run([]) { $0.isInterrupted = true }.summary == "no feed was checked before the run was stopped")
    #expect(run([feed("n", .healthy)]).summary == "1 checked: 1 healthy, 0 degraded, 0 down; 1 not modified")
    let more = run(
      [feed("a", .degraded, reasons: [.botWall])],
      [skipped("b", .healthy), skipped("c", .healthy), skipped("d", .healthy, .notDue(until: .monday))])
    #expect(
      more.summary
        == "1 checked: 0 healthy, 1 degraded, 0 down; 0 not modified, 1 refused, 1 not due, 2 left for the next run"
    )
  }

  @Test("troubled feeds come worst first, then by title")
  func troubled() {
    let result = run([
      feed("b", .degraded), feed("h", .healthy), feed("d", .down), feed("a", .degraded), feed("c", .down),
    ])
    #expect(result.troubled.map(\.recordName) == ["c", "d", "a", "b"])
  }

  @Test("the exit status of a run follows from its findings at the level asked for")
  func statuses() {
    func status(_ run: HealthRunResult, _ level: HealthRunReport.FailLevel?) -> Diagnostics.ExitStatus {
      HealthRunReport(run, failLevel: level).status
    }
    let (degraded, down) = (run([feed("a", .degraded)]), run([feed("a", .down)]))
    #expect(
      status(degraded, nil) == .done && status(degraded, .degraded) == .findings
        && status(degraded, .down) == .done)
    #expect(
      status(down, .degraded) == .findings && status(down, .down) == .findings
        && status(down, .newlyDown) == .done)
    #expect(
      status(run([], [skipped("a", .down)]), .down) == .findings
        && status(run([], [skipped("a", .healthy)]), .down) == .done)
    let fall = run([]) { $0.alerts.newlyDown = [HealthAlerts.Feed(recordName: "a")] }
    #expect(status(fall, .newlyDown) == .findings && status(fall, .down) == .done)
    #expect(
      status(run([]) { $0.isInterrupted = true }, nil) == .interrupted
        && status(run([]) { $0.localOutage = true }, nil) == .failed)
    let refused = run([
      feed("a", .degraded, reasons: [.botWall]), feed("b", .degraded, reasons: [.botWall], host: "b.example"),
    ])
    #expect(status(refused, .down) == .findings && status(refused, nil) == .done)
    #expect(
      HealthRunReport(run([feed("a", .healthy)])).isConfirmation && !HealthRunReport(degraded).isConfirmation)
    #expect(
      HealthRunReport(degraded, failLevel: .down).isConfirmation
        && !HealthRunReport(degraded, failLevel: .degraded).isConfirmation)
    #expect(
      HealthRunReport(run([])).failure == nil
        && HealthRunReport(run([]) { $0.isInterrupted = true }).failure?.code == "interrupted")
    #expect(HealthRunReport(run([]) { $0.localOutage = true }).failure?.code == "local-outage")
  }

  @Test("the words of a report: troubled feeds, and skipped ones on request or when they are findings")
  func words() {
    func text(_ run: HealthRunResult, _ level: HealthRunReport.FailLevel? = nil, isVerbose: Bool = false)
      -> String
    {
      HealthRunReport(run, failLevel: level, isVerbose: isVerbose).text(.plain).description
    }
    let both = run([feed("a", .degraded), feed("d", .down), feed("h", .healthy)], [skipped("s", .down)])
    #expect(
      text(both).contains("! degraded a ") && text(both).contains("✗ down     d ")
        && !text(both).contains("/h"))
    #expect(
      !text(both).contains("/s")
        && text(both, isVerbose: true).contains("- skipped  http://a.example/s: left for the next run"))
    #expect(
      text(both, .down).contains("✗ down     s ")
        && text(both, .down).contains("as before; left for the next run"))
    #expect(!text(run([], [skipped("s", .degraded)]), .down).contains("/s"))
    #expect(text(run([], [skipped("s", .degraded)]), .degraded).contains("! degraded s "))
    let force = "--force checks what is not due, too"
    #expect(
      !text(run([])).contains(force)
        && text(run([], [skipped("s", .healthy, .notDue(until: .monday))])).contains(force))
    #expect(
      !text(run([feed("h", .healthy)], [skipped("s", .healthy, .notDue(until: .monday))])).contains(force))
    #expect(!text(run([], [skipped("s", .healthy)])).contains(force))
  }

  @Test("particulars of a feed: its answer, what was served, and how long it has been so")
  func particulars() {
    func particulars(_ change: (inout FeedResult) -> Void) -> [String] {
      var result = feed("a", .down)
      change(&result)
      return result.particulars
    }
    #expect(particulars { _ in } == [])
    for (status, words) in [(200, []), (304, []), (404, ["HTTP 404"]), (201, ["HTTP 201"])]
      as [(Int, [String])]
    {
      #expect(particulars { $0.httpStatus = status } == words)
    }
    #expect(particulars { $0.refusedChecks = 1 } == ["1 check refused in 30 days"])
    #expect(
      particulars { ($0.refusedChecks, $0.uptimeChecks, $0.uptimePercentage) = (2, 1, 96.9) }
        == ["uptime 96 % of 1 check; 2 more were refused"])
    #expect(particulars { $0.uptimePercentage = 50 } == [])
    #expect(particulars { $0.statusSince = .monday + .seconds(-59) } == ["down since this check"])
    #expect(
      particulars { $0.statusSince = .monday + .seconds(-60) }.first?.hasPrefix("down for 1 minute, since ")
        == true)
    #expect(
      particulars { ($0.suggestedURL, $0.suggestedRecordName) = ("http://n/", "r") }
        == ["suggested: http://n/, which is r in the catalog already"])
  }

  @Test("a duration is written in its largest unit")
  func durations() {
    for (seconds, words) in [
      (0, nil), (59, nil), (60, "1 minute"), (3599, "59 minutes"), (3600, "1 hour"), (86_399, "23 hours"),
      (86_400, "1 day"),
      (172_800, "2 days"), (-5, nil),
    ] as [(Int64, String?)] {
      #expect(ReadableDuration.text(.seconds(seconds)) == words, "\(seconds)")
    }
    for (seconds, words) in [(86_400, "24 hours"), (3 * 86_400, "72 hours"), (3 * 86_400 + 1, "3 days")]
      as [(Int64, String)]
    {
      #expect(ReadableDuration.text(.seconds(seconds), hoursUpToDays: 3) == words, "\(seconds)")
    }
  }

  @Test("the JSON of a feed leaves out what is not known or not there")
  func json() {
    var result = feed("a", .degraded)
    #expect(
      result.json["refusedChecks"] == nil && result.json["family"] == nil && result.json["httpStatus"] == nil)
    result.refusedChecks = 1
    result.reasons = [.botWall]
    #expect(result.json["refusedChecks"] == .integer(1) && result.json["family"] == "refused")
    let total = run([feed("n", .down)]) { $0.articleDecisions = [] }.json
    #expect(
      total["decisions"] == nil && total["warnings"] == nil && total["notes"] == nil
        && total["readOnlyDue"] == nil)
    #expect(
      total["down"] == JSONValue(1) && total["notModified"] == JSONValue(1)
        && total["localOutage"] == .bool(false))
  }

  @Test("metrics of all feeds come from a run that looked at all of them")
  func metrics() {
    func values(_ change: (inout HealthRunResult) -> Void) -> [String: Double] {
      var result = run([feed("a", .down), feed("b", .healthy)], [skipped("s", .down)], change)
      result.skipped[0].lastCheck = .monday + .seconds(-5)
      return result.metrics.reduce(into: [:]) {
        $0["\($1.family.name) \($1.labels.map(\.value).joined())"] = $1.value
      }
    }
    let all = values { $0.isOfAll = true }
    #expect(all["feeds down"] == 2 && all["feeds healthy"] == 1 && all["feeds unknown"] == 0)
    #expect(all["health_checked_feeds down"] == 1 && all["health_skipped_feeds budget"] == 1)
    #expect(
      all["feed_oldest_check_timestamp_seconds "] == Double(Timestamp.monday.milliseconds) / 1000 - 5
        && all["health_local_outage "] == 0)
    for change in [{ _ in }, { ($0.isOfAll, $0.isInterrupted) = (true, true) }]
      as [(inout HealthRunResult) -> Void]
    {
      #expect(values(change)["feeds down"] == nil && values(change)["health_checked_feeds down"] == 1)
    }
    #expect(values { $0.localOutage = true }["health_local_outage "] == 1)
  }
}
