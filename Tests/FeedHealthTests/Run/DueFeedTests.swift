import Catalog
import CloudKitModel
import ContainerFaults
import Diagnostics
import FeedFetching
import FeedHealth
import LocalContainer
import RecordChanges
import Synchronization
import Testing

@testable import HTTPTransport

/// Which feeds a run reads: those that are due or have changed, and all once a day.
@Suite struct DueFeedTests {
  private let clock = TestClock()

  /// Every address is a feed.
  private struct Web: HTTPTransport {
    let clock: TestClock

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
      HTTPResponse(
        status: 200, headers: [], body: Array(FeedText.rss(now: clock.now).utf8), finalURL: request.url)
    }
  }

  private func catalog(_ count: Int = 5, schema: (String) -> String = { $0 }) async throws -> TestCatalog {
    let names = (0..<count).map { "f\($0)" }
    return try await TestCatalog(
      feeds: Dictionary(uniqueKeysWithValues: names.map { ($0, "http://\($0).example/feed") }), clock: clock,
      schema: schema)
  }

  @discardableResult
  private func run(
    _ target: any Container, run: String = "run", _ change: (inout HealthOptions) -> Void = { _ in }
  ) async throws -> HealthRunResult {
    var options = HealthOptions()
    options.policy.fullFetchDays = nil
    change(&options)
    var dependencies = WriteSessionDependencies(
      now: clock.health.now, runID: run, wait: clock.health.wait)
    // A run that was stopped leaves its lease, and the real clock is not waited for.
    dependencies.lease.breaksOthers = true
    let session = WriteSession(
      WritingJob("health check", kind: .job, lease: .health), container: target, dependencies: dependencies)
    return try await HealthCheck(
      container: target, transport: Web(clock: clock), clock: clock.health, options: options
    ).run(in: session)
  }

  private func checked(_ report: HealthRunResult) -> [String] { report.feeds.map(\.recordName).sorted() }

  private func change(
    _ catalog: TestCatalog, _ name: String, type: String = "PublicFeed", _ fields: [String: FieldValue]
  ) async throws {
    let operation = RecordOperation(.forceUpdate, recordType: type, recordName: name, fields: fields)
    if let error = try await catalog.container.modify([operation]).first?.error { throw error }
  }

  @Test("only feeds that are due, new, moved or no longer retired are read")
  func changes() async throws {
    let catalog = try await catalog()
    try await change(catalog, "f4", ["isRetired": .int64(1)])
    #expect(checked(try await run(catalog.container)) == ["f0", "f1", "f2", "f3"])
    clock.advance(600)
    let nothing = try await run(catalog.container)
    #expect(nothing.readsOnlyDue && nothing.feeds.isEmpty && nothing.skipped.isEmpty)
    #expect(nothing.summary == "no feed is due")
    clock.advance(600)
    try await change(catalog, "f1", ["feedURL": .string("http://moved.example/feed")])
    try await change(catalog, "f2", ["title": .string("Another title")])
    try await change(catalog, "f4", ["isRetired": .int64(0)])
    try await change(catalog, "new", ["feedURL": .string("http://new.example/feed")])
    #expect(checked(try await run(catalog.container)) == ["f1", "f4", "new"])
    clock.advance(2000)
    let due = try await run(catalog.container)
    #expect(due.readsOnlyDue && checked(due) == ["f0", "f2", "f3"])
    #expect(due.summary.contains("not due were not read"))
  }

  @Test("all feeds are read once a day, and when the report judges the whole catalog")
  func whole() async throws {
    let catalog = try await catalog()
    try await run(catalog.container)
    clock.advance(60)
    #expect(try await run(catalog.container) { $0.readsAllFeeds = true }.skipped.count == 5)
    #expect(try await run(catalog.container) { $0.only = ["f1"] }.skipped.count == 1)
    #expect(try await run(catalog.container) { $0.force = true }.checked == 5)
    var whole = 0
    for _ in 0..<47 {
      clock.advance(3600)
      whole += try await run(catalog.container).readsOnlyDue ? 0 : 1
    }
    #expect(whole == 2)
  }

  @Test("a run that reads only due feeds says nothing about all feeds, and leaves the next report its falls")
  func reports() async throws {
    let catalog = try await catalog()
    let families = Set(try await run(catalog.container).metrics.map(\.family.name))
    clock.advance(3600)
    let due = try await run(catalog.container)
    #expect(families.subtracting(due.metrics.map(\.family.name)).count == 2)
    #expect(due.json["readOnlyDue"] == true)
    let fell = clock.now
    try await change(
      catalog, CatalogRecordNames.metadata(feed: "f3"), type: "FeedMetadata",
      ["healthStatus": .string("down"), "lastFalls": .list(of: .timestamp, [.timestamp(fell)])])
    clock.advance(600)
    #expect(try await run(catalog.container).alerts.newlyDown.isEmpty)
    clock.advance(600)
    let report = try await run(catalog.container) { $0.readsAllFeeds = true }
    #expect(report.alerts.newlyDown.map(\.recordName) == ["f3"])
  }

  @Test(
    "a time of the next check that is too far ahead, or in another feed's record, defers no feed for long")
  func lies() async throws {
    let catalog = try await catalog()
    try await run(catalog.container)
    clock.advance(600)
    // After this run the feeds have not changed.
    try await run(catalog.container)
    let own = CatalogRecordNames.metadata(feed: "f1")
    let years = clock.now + .seconds(3 * 365 * 86_400)
    try await change(catalog, own, type: "FeedMetadata", ["nextCheck": .timestamp(years)])
    try await change(
      catalog, "made-up", type: "FeedMetadata",
      ["feedReference": .reference(Reference("f2")), "nextCheck": .timestamp(.monday)])
    try await change(
      catalog, CatalogRecordNames.metadata(feed: "gone"), type: "FeedMetadata",
      ["feedReference": .reference(Reference("gone")), "nextCheck": .timestamp(.monday)])
    let deletion = RecordOperation(
      .forceDelete, recordType: "FeedMetadata", recordName: CatalogRecordNames.metadata(feed: "f3"))
    _ = try await catalog.container.modify([deletion])
    clock.advance(600)
    #expect(checked(try await run(catalog.container)).isEmpty)
    clock.advance(86_400)
    #expect(checked(try await run(catalog.container)) == ["f0", "f1", "f2", "f3", "f4"])
  }

  @Test("a run that was stopped anywhere leaves its new feeds to the next run")
  func stopped() async throws {
    for number in 1...20 {
      let catalog = try await catalog()
      try await run(catalog.container, run: "first")
      clock.advance(600)
      try await change(catalog, "new", ["feedURL": .string("http://new.example/feed")])
      let count = Mutex(0)
      let container = FaultyContainer(catalog.container) { _ in
        let index = count.withLock { count in
          count += 1
          return count
        }
        return index < number ? nil : .refuse(ContainerFailure(.unavailable(retryAfter: nil), "stopped"))
      }
      let report = try? await run(container, run: "stopped")
      clock.advance(600)
      let next = try await run(catalog.container, run: "next")
      let wasRecorded = try await catalog.metadata("new")?["totalAttempts"] == .int64(1)
      #expect(wasRecorded, "request \(number)")
      if container.requests.count < number {
        #expect(report?.writes.isComplete == true && next.readsOnlyDue)
        return
      }
    }
    Issue.record("the run has more requests than were stopped")
  }

  @Test("a clock that went back, and a run of a version that does not say what it read, read all feeds")
  func clocks() async throws {
    let catalog = try await catalog()
    try await run(catalog.container)
    clock.advance(-3600)
    #expect(try await !run(catalog.container).readsOnlyDue)
    clock.advance(60)
    try await change(
      catalog, "lease-health", type: "AdminLease", ["result": .string(#"{"schemaVersion":1,"checked":5}"#)])
    #expect(try await !run(catalog.container).readsOnlyDue)
    #expect(try await run(catalog.container).readsOnlyDue)
  }

  @Test("the index of a service may be late: what changed within 2 minutes before the last run is read again")
  func indexLag() async throws {
    let catalog = try await catalog()
    func service() -> FaultyContainer { FaultyContainer(catalog.container, clock: .service(at: clock.now)) }
    try await run(service()) { $0.settle = .seconds(120) }
    for (name, age) in [("late", Int64(110)), ("older", 130)] {
      clock.advance(-age)
      try await change(catalog, name, ["feedURL": .string("http://\(name).example/feed")])
      clock.advance(age)
    }
    clock.advance(600)
    #expect(checked(try await run(service()) { $0.settle = .seconds(120) }) == ["late"])
  }

  @Test(
    "an older schema reads all feeds, and the note names only the line that it lacks",
    arguments: [
      "nextCheck              TIMESTAMP QUERYABLE SORTABLE",
      "\"___modTime\"    TIMESTAMP QUERYABLE SORTABLE,",
    ])
  func olderSchema(line: String) async throws {
    let catalog = try await catalog { schema in
      let older = line.hasPrefix("next") ? "nextCheck TIMESTAMP" : ""
      #expect(schema.contains(line))
      return schema.replacing(line, with: older)
    }
    let first = try await run(catalog.container)
    #expect(first.json["notes"] == nil)
    clock.advance(600)
    let second = try await run(catalog.container)
    #expect(second.skipped.count == 5 && !second.readsOnlyDue)
    let note = try #require(second.json["notes"]?.array?.first?.string)
    #expect(note.contains("nextCheck TIMESTAMP QUERYABLE SORTABLE in FeedMetadata") == line.hasPrefix("next"))
    #expect(note.contains("\"___modTime\" TIMESTAMP QUERYABLE in PublicFeed") != line.hasPrefix("next"))
  }

  @Test("two requests for each 200 feeds that are due or changed, and few for none")
  func requests() async throws {
    let catalog = try await catalog(1000)
    try await run(catalog.container)
    clock.advance(600)
    let idle = FaultyContainer(catalog.container)
    // The health check itself changed the feeds in the run before.
    try await run(idle)
    clock.advance(600)
    let quiet = FaultyContainer(catalog.container)
    #expect(try await run(quiet).checked == 0)
    #expect(quiet.requests.count <= 9, "\(quiet.requests.count)")
    clock.advance(3600)
    let busy = FaultyContainer(catalog.container)
    #expect(try await run(busy).checked == 1000)
    // Read, and written once: the feeds themselves change only once a day. A slow machine may write a batch in two parts.
    #expect(busy.requests.count <= 8 + 2 * 5 + 7, "\(busy.requests.count)")
  }
}
