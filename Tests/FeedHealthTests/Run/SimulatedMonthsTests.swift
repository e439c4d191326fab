import CloudKitModel
import FeedFetching
import FeedHealth
import FeedState
import Foundation
import HTTPTransport
import Platform
import Synchronization
import Testing

/// What must hold over weeks of checks, on a clock of the test's own.
@Suite struct SimulatedMonthsTests {
  private let clock = TestClock()
  private static let day: Int64 = 86_400

  /// A feed that always publishes, from whatever moment one looks.
  private func fresh() -> HTTPResponse { .ok(FeedText.rss(now: clock.now)) }

  private func checkDaily(_ catalog: TestCatalog, _ transport: StubTransport, days: Int) async throws
    -> [HealthRunResult]
  {
    var reports: [HealthRunResult] = []
    for _ in 0..<days {
      let start = clock.now
      reports.append(try await catalog.check(transport, clock))
      clock.advance(Self.day - (clock.now.milliseconds - start.milliseconds) / 1000)
    }
    return reports
  }

  @Test("a feed that always answers 503 with Retry-After is down from the third day on, and stays in sight")
  func alwaysUnavailable() async throws {
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/feed"])
    let transport = StubTransport(["http://a.example/feed": { _ in .status(503, ["Retry-After": "80000"]) }])
    let reports = try await checkDaily(catalog, transport, days: 45)
    let statuses = reports.map { $0.feeds.first?.status }
    #expect(statuses.prefix(3) == [.degraded, .degraded, .down])
    #expect(statuses.dropFirst(2).allSatisfy { $0 == .down })
  }

  @Test("one throttled feed does not keep the others of its host from being asked, on any day")
  func sharedHost() async throws {
    let names = ["ok1", "ok2", "bad", "ok3", "ok4", "ok5"]
    let transport = StubTransport()
    for name in names {
      transport.set("http://shared.example/\(name)") { [self] _ in
        name == "bad" ? .status(429, ["Retry-After": "86400"]) : fresh()
      }
    }
    let catalog = try await TestCatalog(
      feeds: Dictionary(uniqueKeysWithValues: names.map { ($0, "http://shared.example/\($0)") }))
    for report in try await checkDaily(catalog, transport, days: 9) {
      #expect(report.feeds.count { $0.status == .healthy } == 5)
      #expect(report.feeds.count { $0.reasons == [.throttled] } <= 1)
    }
  }

  @Test("on a host that blocks after two refusals, every other feed has its turn by the third day")
  func blockedHost() async throws {
    let names = ["bad1", "bad2", "ok1", "ok2", "ok3"]
    let transport = StubTransport()
    for name in names {
      transport.set("http://shared.example/\(name)") { [self] _ in
        name.hasPrefix("bad") ? .status(429, ["Retry-After": "80000"]) : fresh()
      }
    }
    let catalog = try await TestCatalog(
      feeds: Dictionary(uniqueKeysWithValues: names.map { ($0, "http://shared.example/\($0)") }))
    let reports = try await checkDaily(catalog, transport, days: 10)
    for report in reports.dropFirst(2) { #expect(report.feeds.count { $0.status == .healthy } == 3) }
  }

  /// A host that answers one request in each period, and to all others says in how many seconds the next one begins.
  private func quotaHost(_ names: [String], seconds: Int64 = 60, asTime: Bool = false) -> StubTransport {
    let transport = StubTransport()
    let last = Mutex<Int64>(-1)
    for name in names {
      transport.set("http://small.example/\(name)") { [self] _ in
        let now = clock.now.milliseconds / 1000
        let isFree = last.withLock { last in
          guard last / seconds != now / seconds else { return false }
          last = now
          return true
        }
        if isFree { return fresh() }
        let reset = seconds - now % seconds
        // The host's clock is an hour ahead.
        return asTime
          ? .status(
            429,
            [
              "X-RateLimit-Reset": "\(now + 3600 + reset)",
              "Date": "\(Self.anHourLater(now))",
            ])
          : .status(429, ["x-ratelimit-reset": "\(reset)"])
      }
    }
    return transport
  }

  /// In the hour after the clock's start.
  private static func anHourLater(_ seconds: Int64) -> String {
    let passed = seconds - Timestamp.monday.milliseconds / 1000
    return String(format: "Mon, 02 Mar 2026 13:%02d:%02d GMT", Int(passed / 60), Int(passed % 60))
  }

  @Test(
    "on a host that admits one request a minute, each of 12 feeds is asked in 12 rounds, and 11 are answered")
  func quota() async throws {
    let names = (1...12).map { "f\($0)" }
    let catalog = try await TestCatalog(
      feeds: Dictionary(uniqueKeysWithValues: names.map { ($0, "http://small.example/\($0)") }))
    let transport = quotaHost(names)
    var answered: Set<String> = []
    var asked: Set<String> = []
    var neglected = 0
    for round in 1...24 {
      let start = clock.now
      let report = try await catalog.check(transport, clock)
      answered.formUnion(report.feeds.filter { $0.status == .healthy }.map(\.recordName))
      asked.formUnion(report.feeds.map(\.recordName))
      if round == 12 { #expect(asked.count == 12 && answered.count >= 11) }
      neglected = max(neglected, HealthRunReport(report).findings.count)
      #expect(
        report.notes.contains { $0.hasPrefix("small.example answered for 1 of 12 feeds") }, "\(report.notes)")
      clock.advance(3600 - (clock.now.milliseconds - start.milliseconds) / 1000)
    }
    #expect(neglected > 0)
  }

  @Test(
    "with a budget a run waits for such a host, and says how many feeds an hour it admits",
    arguments: [false, true])
  func quotaWithBudget(asTime: Bool) async throws {
    let names = (1...12).map { "f\($0)" }
    let catalog = try await TestCatalog(
      feeds: Dictionary(uniqueKeysWithValues: names.map { ($0, "http://small.example/\($0)") }))
    let start = clock.now
    let report = try await catalog.check(quotaHost(names, asTime: asTime), clock) {
      $0.budget = .seconds(900)
    }
    #expect(report.feeds.count == 12 && report.feeds.count { $0.status == .healthy } == 11)
    #expect(clock.now.since(start) < .seconds(900))
    #expect(
      report.notes.contains {
        $0.contains("11 of 12") && $0.contains("60 feeds an hour") && !$0.contains("--budget")
      }, "\(report.notes)")
    let short = try await catalog.check(quotaHost(names), clock) {
      ($0.budget, $0.force) = (.seconds(130), true)
    }
    #expect(clock.now.since(start) < .seconds(1200) && short.feeds.count < 8)
  }

  @Test("a budget reaches every feed in turn: no feed is checked twice before another is checked once")
  func budget() async throws {
    let urls = (0..<60).map { "http://h\($0).example/feed" }
    let transport = StubTransport()
    for url in urls {
      transport.set(url) { [self] _ in
        clock.advance(1)
        return fresh()
      }
    }
    let catalog = try await TestCatalog(
      feeds: Dictionary(uniqueKeysWithValues: urls.enumerated().map { ("f\($0)", $1) }))
    var counts: [String: Int] = [:]
    for run in 0..<24 {
      let report = try await catalog.check(transport, clock) { options in
        options.concurrency = 5
        options.budget = .seconds(6)
        options.force = run % 2 == 1
      }
      for feed in report.feeds { counts[feed.recordName, default: 0] += 1 }
      let least = counts.count < 60 ? 0 : counts.values.min() ?? 0
      #expect((counts.values.max() ?? 0) - least <= 1)
      clock.advance(3600)
    }
    #expect(counts.count == 60)
  }

  @Test(
    "uptime is the exact share of good checks, and down means three failures in a row", arguments: [1, 2, 3])
  func uptime(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/feed"])
    var outcomes: [Bool] = []
    for _ in 0..<40 {
      let isGood = Int.random(in: 0..<10, using: &random) < 7
      outcomes.append(isGood)
      let transport = StubTransport(["http://a.example/feed": { [self] _ in isGood ? fresh() : .status(500) }]
      )
      let report = try await catalog.check(transport, clock) { $0.force = true }
      let feed = try #require(report.feeds.first)
      let last = outcomes.suffix(30)
      let share = Double(last.count { $0 }) / Double(last.count) * 100
      #expect(abs((feed.uptimePercentage ?? -1) - share) < 0.001)
      let failures = outcomes.reversed().prefix { !$0 }.count
      #expect((feed.status == .down) == (failures >= 3))
      // Each check falls on a day of its own, although a second look takes seconds.
      clock.advance(Self.day - (clock.now.milliseconds - Timestamp.monday.milliseconds) / 1000 % Self.day)
    }
  }

  @Test("days without a network of ours change nothing about feeds that work", arguments: [4, 5])
  func outages(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let urls = (0..<12).map { "http://h\($0).example/feed" }
    let catalog = try await TestCatalog(
      feeds: Dictionary(uniqueKeysWithValues: urls.enumerated().map { ("f\($0)", $1) }))
    for day in 0..<40 {
      let isOutage = day > 0 && Int.random(in: 0..<3, using: &random) == 0
      let transport = StubTransport()
      for url in urls {
        transport.set(url) { [self] _ throws(HTTPFailure) in
          if isOutage { throw HTTPFailure(.dns, "no network") }
          return fresh()
        }
      }
      let report = try await catalog.check(transport, clock) { $0.force = true }
      #expect((report.outage != nil) == isOutage)
      #expect(report.feeds.allSatisfy { $0.status == (isOutage ? .unknown : .healthy) })
      clock.advance(Self.day)
    }
    let health = try await CatalogHealth(of: catalog.container, at: clock.now)
    #expect(health.total[.healthy] == 12)
  }

  @Test("a page for a moment never makes a feed down that works otherwise", arguments: [6, 7])
  func moments(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/feed"])
    var wasPage = true
    for _ in 0..<60 {
      let isPage = !wasPage && Int.random(in: 0..<4, using: &random) == 0
      wasPage = isPage
      let transport = StubTransport([
        "http://a.example/feed": { [self] _ in
          isPage ? .ok("<html><title>Back soon</title></html>", ["Content-Type": "text/html"]) : fresh()
        }
      ])
      let report = try await catalog.check(transport, clock) { $0.force = true }
      #expect(report.feeds.first?.status != .down)
      clock.advance(3 * 3600)
    }
  }
}
