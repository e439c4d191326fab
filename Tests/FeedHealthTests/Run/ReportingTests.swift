import CloudKitModel
import Diagnostics
import FeedHealth
import FeedState
import RecordChanges
import Synchronization
import Testing

@testable import HTTPTransport

@Suite struct ReportingTests {
  private let clock = TestClock()

  /// One feed that is well, one whose title tries to break a table, and one that is not there.
  private func report(_ change: (inout HealthOptions) -> Void = { _ in }) async throws -> HealthRunResult {
    let transport = StubTransport([
      "http://a.example/": { _ in .ok(FeedText.rss()) },
      "http://b.example/": { _ in HTTPResponse(status: 410, finalURL: "http://b.example/") },
      "http://c.example/": { _ in .ok(FeedText.rss(ages: [])) },
    ])
    let catalog = try await TestCatalog(feeds: [
      "a": "http://a.example/", "b|*c*": "http://b.example/", "c": "http://c.example/",
    ])
    return try await catalog.check(transport, clock, change)
  }

  @Test("a job's summary shows which feeds, since when, why, and what to do, worst first")
  func markdown() async throws {
    let lines = HealthRunReport(try await report()).markdown.split(separator: "\n")
    #expect(lines[1] == "3 checked: 1 healthy, 1 degraded, 1 down; 0 not modified, 1 newly down")
    let first = try #require(lines.firstIndex { $0.hasPrefix("- ") })
    #expect(lines.count { $0.hasPrefix("- ") } == 2)
    #expect(lines[first] == "- `✗` down     b\\|\\*c\\*  `http://b.example/`")
    #expect(lines[first + 1].hasPrefix("  - FH0202 ") && lines[first + 1].hasSuffix(". Retire the feed."))
  }

  @Test("a dry run writes nothing and has its plan in JSON, Markdown and words")
  func plan() async throws {
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/"])
    let transport = StubTransport(["http://a.example/": { _ in .ok(FeedText.rss()) }])
    let report = try await catalog.check(transport, clock, dryRun: true)
    #expect(try await catalog.metadataCount == 0)
    #expect(try await catalog.feed("a")?["lastVerified"] == nil)
    #expect(report.writes.isComplete)
    let plan = try #require(report.plan)
    #expect(plan.changes.map(\.recordType) == ["FeedMetadata", "PublicFeed"])
    #expect(report.json["create"] == 1)
    #expect(report.json["update"] == 1)
    let metadata = report.json["changes"]?.array?.first
    #expect(metadata?["action"] == "create")
    #expect(metadata?["fields"]?["healthStatus"] == ["from": .null, "to": "healthy"])
    let markdown = HealthRunReport(report).markdown
    #expect(markdown.contains("Dry run: 1 to create, 1 to update; nothing was written."))
    #expect(markdown.contains("\n- `~` PublicFeed `http://a.example/`\n  - lastVerified: none → 2026-03-02T"))
  }

  @Test("what a run that writes planned is what a dry run would have written")
  func planIsTrue() async throws {
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/"])
    let transport = StubTransport(["http://a.example/": { _ in .ok(FeedText.rss()) }])
    let planned = try #require(try await catalog.check(transport, clock, dryRun: true).plan?.changes)
    let report = try await catalog.check(transport, clock)
    #expect(report.plan == nil)
    #expect(report.json["changes"] == nil)
    let feed = try #require(try await catalog.feed("a"))
    #expect(planned.last?.fields.allSatisfy { feed.fields[$0.key] == $0.value.to } == true)
  }

  @Test("an outage of our own passes no feed: nothing is concluded from it")
  func outage() async throws {
    let catalog = try await TestCatalog(
      feeds: Dictionary(uniqueKeysWithValues: "abcde".map { (String($0), "http://\($0).example/") }))
    let report = try await catalog.check(StubTransport(), clock)
    #expect(report.outage?.signature == .unknownNames)
    #expect(HealthRunReport(report).markdown.contains("none of the names of 5 hosts has an address"))
    #expect(report.json["feeds"]?.array?.first?["uptimePercentage"] == nil)
  }

  @Test("JSON says since when, and what was seen beyond the reason")
  func json() async throws {
    let feeds = try await report().json["feeds"]?.array ?? []
    #expect(feeds.count == 3)
    #expect(feeds.allSatisfy { $0["statusSince"]?.string?.hasPrefix("2026-03-02T12:00:0") == true })
  }

  @Test("progress counts every feed that is due, whatever becomes of it")
  func progress() async throws {
    let catalog = try await TestCatalog(feeds: [
      "a": "http://a.example/1", "b": "http://a.example/2", "c": "http://c.example/",
      "d": "http://a.example/3",
    ])
    let transport = StubTransport([
      "http://a.example/1": { _ in .status(429, ["Retry-After": "3600"]) },
      "http://a.example/2": { _ in .status(429, ["Retry-After": "3600"]) },
      "http://c.example/": { _ in .ok(FeedText.rss()) },
    ])
    let check = HealthCheck(
      container: catalog.container, transport: transport, clock: clock.health)
    let seen = Mutex<[[Int]]>([])
    let display = TestDisplay(progress: { done, total in seen.withLock { $0.append([done, total]) } })
    let report = try await check.run(in: catalog.session(clock), showing: display)
    #expect(report.skipped.count == 1)
    #expect(seen.withLock { $0.first } == [0, 4])
    #expect(seen.withLock { $0.last } == [4, 4])
  }
}

extension HealthRunReport {
  var markdown: String { rendered(as: .markdown, .plain).description }
}
