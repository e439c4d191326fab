import CloudKitModel
import ContainerFaults
import Diagnostics
import FeedFetching
import FeedHealth
import FeedState
import HTTPTransport
import LocalContainer
import RecordChanges
import Testing

/// What an operator's cron job hears in 30 simulated days, as exit statuses.
@Suite struct AlertMonthTests {
  private let clock = TestClock()
  private static let day: Int64 = 86_400
  private static let url = "http://a.example/feed"

  /// One run a day of a catalog whose feed answers on `isUp` days, and of a feed that always works.
  ///
  /// - Parameters:
  ///   - canWrite: whether the key has its role on a day.
  ///   - goesBack: whether the clock goes back by a second in each check, as a service's may.
  ///   - change: what a run does that differs from the others.
  private func month(
    days: Int = 30, level: HealthRunReport.FailLevel = .newlyDown,
    canWrite: (Int) -> Bool = { _ in true }, goesBack: Bool = false, isUp: (Int) -> Bool,
    change: (Int, inout HealthOptions) -> Void = { _, _ in }
  ) async throws -> [HealthRunReport] {
    let catalog = try await TestCatalog(
      feeds: ["a": Self.url, "b": "http://b.example/feed"], clock: clock)
    let start = clock.now
    var reports: [HealthRunReport] = []
    for day in 0..<days {
      let transport = StubTransport([
        "http://b.example/feed": { [clock] _ in .ok(FeedText.rss(now: clock.now)) }
      ])
      let works = isUp(day)
      transport.set(Self.url) { [clock] _ in
        if goesBack { clock.advance(-1) }
        return works ? .ok(FeedText.rss(now: clock.now)) : .status(404)
      }
      let container = LocalContainer(
        store: catalog.container.store, environment: .development,
        identity: canWrite(day) ? .serverKey : .serverKey(roles: []))
      var options = HealthOptions()
      options.policy.fullFetchDays = nil
      options.reportsFalls = level == .newlyDown
      change(day, &options)
      let run = try await HealthCheck(
        container: container, transport: transport, clock: clock.health, options: options
      ).run(in: Self.leased(container, clock))
      reports.append(HealthRunReport(run, failLevel: level))
      clock.advance(Self.day * Int64(day + 1) - (clock.now.milliseconds - start.milliseconds) / 1000)
    }
    return reports
  }

  /// With a lease, whose record remembers the last report.
  private static func leased(_ container: LocalContainer, _ clock: TestClock) -> WriteSession {
    WriteSession(
      WritingJob("health check", kind: .job, lease: .health), container: container,
      dependencies: WriteSessionDependencies(
        now: clock.health.now, runID: "run", wait: clock.health.wait))
  }

  /// The days whose run ended with findings.
  private func alerts(_ reports: [HealthRunReport]) -> [Int] {
    reports.indices.filter { reports[$0].status == .findings }
  }

  @Test("a feed that stays down is one alert with newly-down, and every run with down, due or not")
  func staysDown() async throws {
    let isUp = { (day: Int) in day < 2 }
    let newly = try await month(goesBack: true, isUp: isUp)
    #expect(alerts(newly) == [4])
    #expect(newly[4].run.alerts.newlyDown.map(\.recordName) == ["a"])
    #expect(newly[4].json["newlyDown"] == ["a"])
    // Later checks wait for up to a day after failures, so that the feed is not due in each run.
    let always = try await month(level: .down, isUp: isUp) { day, options in
      options.policy.maxInterval = .seconds(3 * Self.day)
      options.policy.interval = .seconds(Self.day / 2)
    }
    #expect(always.contains { report in report.run.skipped.contains { $0.recordName == "a" } })
    #expect(alerts(always) == Array(4..<30))
  }

  @Test("a fall that the key may not record is reported again, and each run says that it will be")
  func unrecorded() async throws {
    let reports = try await month(days: 8, canWrite: { $0 < 4 || $0 > 5 }, isUp: { $0 < 2 })
    for day in 4...6 { #expect(reports[day].json["newlyDown"] == ["a"]) }
    for day in 4...5 {
      #expect(reports[day].status == .denied)
      #expect(reports[day].failure?.message.hasSuffix("so the next run reports those again") == true)
    }
    #expect(alerts(reports) == [6])
  }

  @Test(
    "falls within a week of each other are two alerts in a month: the first fall, and that the feed flaps")
  func flaps() async throws {
    let often = try await month(isUp: { $0 % 6 > 2 })
    #expect(alerts(often) == [2, 8])
    #expect(often[2].json["newlyDown"] == ["a"] && often[2].json["flapping"] == [])
    #expect(often[8].json["flapping"] == ["a"] && often[8].json["newlyDown"] == [])
    #expect(often.indices.filter { often[$0].json["recovered"] == ["a"] } == [3, 9, 15, 21, 27])
    // More than a week apart, each fall is news.
    let seldom = try await month(isUp: { $0 % 8 > 2 })
    #expect(alerts(seldom) == [2, 10, 18, 26])
  }

  @Test(
    "a feed that dies slowly, with fewer good days each week, is a fall, flapping, and one more alert at its end"
  )
  func diesSlowly() async throws {
    let bad: Set<Int> = [3, 7, 8, 11, 12, 13, 15, 16, 17]
    let reports = try await month(isUp: { !bad.contains($0) && $0 < 19 })
    #expect(alerts(reports) == [13, 17, 25])
    #expect(reports[13].json["newlyDown"] == ["a"])
    #expect(reports[17].json["flapping"] == ["a"])
    #expect(reports[25].json["newlyDown"] == ["a"])
  }

  @Test(
    "a fall that a run saw which was cut off, or reports no falls, is reported by the next one, and only by that",
    arguments: [["a"], []])
  func cutOff(only: [String]) async throws {
    let reports = try await month(days: 12, isUp: { $0 < 2 }) { day, options in
      // Such a run lists the fall, but is no report on the catalog.
      if day == 4 { (options.only, options.reportsFalls) = (only, !only.isEmpty) }
    }
    #expect(alerts(reports) == [4, 5])
  }

  @Test("a run whose budget is used up has reported: its falls are not repeated, and it is not complete")
  func budget() async throws {
    let reports = try await month(days: 10, isUp: { $0 < 1 }) { day, options in
      if day == 3 { options.thresholds.failuresUntilDown = 3 }
      if day >= 4 { options.budget = .zero }
    }
    #expect(alerts(reports) == [3])
    #expect(reports[5].run.skipped.allSatisfy { $0.reason == .budget })
  }

  @Test("the newly down are named in each format")
  func formats() async throws {
    let reports = try await month(days: 4, isUp: { _ in false })
    let report = reports[2]
    #expect(report.text(.plain).description.hasPrefix("newly down: a\n"))
    #expect(report.markdown.contains("\n**newly down: a**\n"))
    #expect(report.tally?.description.hasSuffix(", 1 newly down") == true)
    let changed = report.metrics.filter { $0.family.name.hasSuffix("health_changed_feeds") }
    #expect(changed.map(\.value) == [1, 0, 0])
    #expect(!report.isConfirmation && reports[1].isConfirmation)
    // The feed that fell earlier is not new.
    let urgent = report.urgent?.text(.plain).description ?? ""
    #expect(urgent.contains("down     a") && !urgent.contains(" checked: "))
    #expect(reports[3].text(.plain).description.contains("down     a"))
    #expect(reports[3].isConfirmation && reports[3].urgent?.isEmpty == true)
  }
}
