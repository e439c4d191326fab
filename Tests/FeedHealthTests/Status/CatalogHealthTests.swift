import CloudKitModel
import Diagnostics
import FeedState
import LocalContainer
import RecordChanges
import Testing

@testable import FeedHealth
@testable import HTTPTransport

@Suite struct CatalogHealthTests {
  private let clock = TestClock()

  /// A healthy, a down and a degraded feed after two days of checks, and one never checked.
  private func catalog() async throws -> TestCatalog {
    let catalog = try await TestCatalog(feeds: [
      "good": "http://a.example/", "dead": "http://b.example/", "old": "http://c.example/",
      "new": "http://d.example/",
    ])
    try await catalog.file(["good", "dead"], under: "technology", named: "cat-1")
    try await catalog.count(["dead": 976, "old": 3])
    let transport = StubTransport([
      "http://a.example/": { _ in .ok(FeedText.rss(), from: "http://a.example/") },
      "http://b.example/": { _ in .status(410) },
      "http://c.example/": { _ in .ok(FeedText.rss(ages: [90 * 86_400, 91 * 86_400])) },
    ])
    for _ in 0..<2 {
      try await catalog.check(transport, clock) { $0.only = ["good", "dead", "old"] }
      clock.advance(86_400)
    }
    return catalog
  }

  private func report(
    _ catalog: TestCatalog, _ level: CatalogHealthReport.FailLevel? = nil
  ) async throws -> CatalogHealthReport {
    let health = try await CatalogHealth(of: catalog.container, at: clock.now)
    return CatalogHealthReport(health, failLevel: level)
  }

  @Test("feeds are counted by category, with those without one last")
  func counts() async throws {
    let health = try await report(catalog()).health
    #expect(health.counts.map(\.category) == ["technology", nil])
    #expect(health.counts[0][.down] == 1 && health.counts[0][.healthy] == 1 && health.counts[0].feeds == 2)
    #expect(health.total.feeds == 4)
    #expect(health.total[.unknown] == 1)
  }

  @Test(
    "a job that has not run for more than a day is named, with the time since",
    arguments: [
      (24 * 3600, nil), (26 * 3600, "26 hours"), (72 * 3600, "72 hours"), (73 * 3600, "3 days"),
      (30 * 86_400, "30 days"), (-3600, nil),
    ] as [(Int64, String?)])
  func overdue(_ seconds: Int64, _ words: String?) async throws {
    var health = try await CatalogHealth(of: catalog().container, at: clock.now)
    #expect(CatalogHealthReport(health).json["overdue"] == [])
    let last = Timestamp(milliseconds: clock.now.milliseconds - seconds * 1000)
    health.memory = HealthRunMemory(run: LastJobRun(finishedAt: last, result: ["complete": .bool(true)]))
    let report = CatalogHealthReport(health)
    let sentence = words.map { "no complete health check for \($0), since \(last.iso8601)" }
    #expect(report.json["overdue"]?.array?.compactMap(\.string) == [sentence].compactMap(\.self))
    #expect(report.text(.plain).description.contains("! no complete health check") == (sentence != nil))
  }

  @Test("the fail level decides what is a finding")
  func failLevels() async throws {
    let catalog = try await catalog()
    #expect(try await report(catalog).status == .done)
    for level in CatalogHealthReport.FailLevel.allCases {
      #expect(try await report(catalog, level).status == .findings)
    }
    let fresh = try await TestCatalog(feeds: ["new": "http://d.example/"])
    #expect(try await report(fresh, .degraded).status == .done)
    #expect(try await report(fresh, .unchecked).status == .findings)
  }

  @Test("a wall stays the reason of a feed until it answers")
  func wall() async throws {
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/"])
    let transport = StubTransport(["http://a.example/": { _ in .status(403, ["cf-mitigated": "challenge"]) }])
    try await catalog.check(transport, clock)
    #expect(try await report(catalog).health.troubled.map(\.reasons) == [[.botWall]])
    transport.set("http://a.example/") { _ in .ok(FeedText.rss(), from: "http://a.example/") }
    try await catalog.check(transport, clock) { $0.force = true }
    #expect(try await report(catalog).health.troubled.isEmpty)
  }

  @Test(
    "feeds of one host with one cause are one row; another cause, or a proposed address, is a row of its own")
  func groups() async throws {
    let catalog = try await TestCatalog(feeds: [
      "a": "http://dead.example/1", "b": "http://dead.example/2", "c": "http://dead.example/3",
      "d": "http://dead.example/4", "e": "http://other.example/1",
    ])
    let transport = StubTransport()
    for path in 1...2 { transport.set("http://dead.example/\(path)") { _ in .status(500) } }
    transport.set("http://dead.example/3") { _ in .status(404) }
    let page = "<html><head><link rel=alternate type=application/rss+xml href=/new></head></html>"
    transport.set("http://dead.example/4") { _ in
      HTTPResponse(status: 500, body: Array(page.utf8), finalURL: "http://dead.example/4")
    }
    transport.set("http://other.example/1") { _ in .status(500) }
    try await catalog.check(transport, clock)
    clock.advance(3 * 86_400)
    let report = try await report(catalog)
    // Two hosts are asked at the same time, so either may fail first.
    #expect(
      Set(report.health.troubledGroups.map { $0.feeds.map(\.recordName) }) == [
        ["a", "b", "d"], ["c"], ["e"],
      ])
    let text = report.text(.plain).description
    #expect(text.contains("! 3 feeds of dead.example  a, b, d\n    degraded for 3 days\n"))
    #expect(text.contains("    the first fails since 2026-03-02T12:00:0"))
    let group = try #require(report.json["groups"]?.array?.first)
    #expect(group["host"] == "dead.example" && group["feeds"] == 3)
    #expect(group["recordNames"] == ["a", "b", "d"] && group["reasons"] == ["FH0206"])
    #expect(report.json["groups"]?.array?.count == 1)
    let entry = try #require(report.json["troubled"]?.array?.first { $0["recordName"] == "c" })
    #expect(
      entry["httpStatus"] == 404 && entry["uptimePercentage"] == .double(0) && entry["uptimeChecks"] == 1)
    #expect(entry["failingSince"]?.string?.hasPrefix("2026-03-02T") == true && entry["lastSuccess"] == nil)
  }

  @Test("a feed is refused since its first refusal, and one that had failed before is failing since then")
  func refusedSince() async throws {
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/", "b": "http://b.example/"])
    let transport = StubTransport()
    transport.set("http://a.example/") { _ in .status(500) }
    transport.set("http://b.example/") { _ in .status(401) }
    try await catalog.check(transport, clock)
    transport.set("http://a.example/") { _ in .status(401) }
    clock.advance(3600)
    try await catalog.check(transport, clock) { $0.force = true }
    let facts = try await report(catalog).health.troubled.map { ($0.recordName, $0.facts(at: clock.now)[0]) }
    let words = Dictionary(uniqueKeysWithValues: facts)
    #expect(words["a"]?.hasPrefix("failing since 2026-03-02T12:00:") == true)
    #expect(words["b"]?.hasPrefix("refused since 2026-03-02T12:00:") == true)
  }

  @Test("the proposed address and the reasons of the last check stay, whatever the check saw them in")
  func remembered() async throws {
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/feed", "b": "http://b.example/"])
    let page = "<html><head><meta http-equiv=refresh content='0; url=http://a.example/new'></head></html>"
    let transport = StubTransport([
      "http://a.example/feed": { _ in .ok(page, ["Content-Type": "text/html"]) },
      "http://a.example/new": { _ in .ok(FeedText.rss()) },
      "http://b.example/": { _ in
        var slow = HTTPResponse.ok(FeedText.rss())
        slow.totalTime = .seconds(11)
        return slow
      },
    ])
    try await catalog.check(transport, clock)
    let json = try await report(catalog).json["troubled"]?.array ?? []
    #expect(json.compactMap { $0["suggestedURL"]?.string } == ["http://a.example/new"])
    #expect(json.compactMap { $0["reasons"] } == [["FH0302"], ["FH0402"]])
    transport.set("http://a.example/feed") { _ in .ok(FeedText.rss()) }
    try await catalog.check(transport, clock) { $0.force = true }
    #expect(try await catalog.metadata("a")?["suggestedURL"] == nil)
    // What was proposed is not proposed for the feed that has it already.
    transport.set("http://a.example/feed") { _ in .ok(page, ["Content-Type": "text/html"]) }
    try await catalog.check(transport, clock) { $0.force = true }
    let move = RecordOperation(
      .forceUpdate, recordType: "PublicFeed", recordName: "a",
      fields: ["feedURL": .string("http://a.example/new")])
    _ = try await catalog.container.modify([move])
    let moved = try await report(catalog)
    #expect(moved.json["troubled"]?.array?.allSatisfy({ $0["suggestedURL"] == nil }) == true)
    let text = moved.text(.plain).description
    #expect(text.contains("This was the address http://a.example/feed. Check the new one: "), "\(text)")
    #expect(!text.contains("Change feedURL"))
  }

  @Test("an empty container, and one without feeds, each have their own sentence")
  func missing() async throws {
    let empty = try await TestCatalog(feeds: [:])
    let report = try await report(empty)
    #expect(
      report.text(.plain).description == """
        The container has no feeds.

        oldest check: none
        last complete run: none is recorded
        readers: as the records have them; no complete recount is recorded

        """)
    let other = try LocalContainer.open(.memory)
    try await other.importSchema("DEFINE SCHEMA\n RECORD TYPE Note ( \"___recordID\" REFERENCE QUERYABLE );")
    await #expect(throws: HealthCheckError.noFeedType("PublicFeed")) {
      try await CatalogHealth(of: other, at: clock.now)
    }
  }
}
