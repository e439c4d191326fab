import CloudKitModel
import ContainerFaults
import FeedFetching
import FeedHealth
import FeedState
import HTTPTransport
import RecordChanges
import Synchronization
import Testing

/// What only several checks in a row show.
@Suite struct HistoryTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"
  private let transport = StubTransport()

  private func catalog() async throws -> TestCatalog {
    transport.set("http://b.example/feed") { _ in .ok(FeedText.rss()) }
    return try await TestCatalog(feeds: ["a": url, "b": "http://b.example/feed"])
  }

  /// One check a day.
  private func check(_ catalog: TestCatalog, after seconds: Int64 = 86_400) async throws -> FeedResult {
    let report = try await catalog.check(transport, clock)
    clock.advance(seconds)
    return try #require(report.feeds.first { $0.recordName == "a" })
  }

  @Test("the third failure in a row is down; it takes two good checks to be healthy again")
  func downAndBack() async throws {
    let catalog = try await catalog()
    transport.set(url) { _ in .status(500) }
    var statuses: [HealthStatus] = []
    for _ in 0..<3 { statuses.append(try await check(catalog).status) }
    #expect(statuses == [.degraded, .degraded, .down])
    transport.set(url) { _ in .ok(FeedText.rss()) }
    let recovering = try await check(catalog)
    #expect(recovering.status == .degraded)
    #expect(recovering.reasons.contains(.recovering))
    clock.advance(40 * 86_400)
    transport.set(url) { _ in
      .ok(FeedText.rss(now: Timestamp(milliseconds: Timestamp.monday.milliseconds + 44 * 86_400_000)))
    }
    #expect(try await check(catalog).status == .healthy)
  }

  @Test("a feed that fails once while it would fall, and answers at the second look, does not fall")
  func secondLook() async throws {
    let catalog = try await catalog()
    let looks = Counter()
    transport.set(url) { _ in looks.next() == 1 ? .status(410) : .ok(FeedText.rss()) }
    let result = try await check(catalog)
    #expect(result.status == .healthy)
    #expect(looks.count == 2)
    #expect(try await catalog.metadata("a")?["totalAttempts"] == .int64(1))
  }

  @Test(
    "three failures of DNS or TLS within hours are down, as others are",
    arguments: [HTTPFailure.Kind.dns, .tls])
  func hostFailuresWithinHours(kind: HTTPFailure.Kind) async throws {
    let catalog = try await catalog()
    transport.set(url) { _ in .ok(FeedText.rss()) }
    _ = try await check(catalog)
    transport.set(url) { _ throws(HTTPFailure) in throw HTTPFailure(kind, "x") }
    var statuses: [HealthStatus] = []
    for _ in 0..<3 { statuses.append(try await check(catalog, after: 5 * 3600).status) }
    #expect(statuses == [.degraded, .degraded, .down])
  }

  @Test("304 is a success that keeps what a full fetch found, faults included")
  func notModified() async throws {
    let catalog = try await catalog()
    let broken = FeedText.rss().replacing("<title>A</title>", with: "<title>A & B</title>")
    transport.set(url) {
      $0.headers["If-None-Match"] == "\"1\"" ? .status(304) : .ok(broken, ["ETag": "\"1\""])
    }
    _ = try await check(catalog)
    let before = try #require(try await catalog.metadata("a"))
    let result = try await check(catalog)
    let after = try #require(try await catalog.metadata("a"))
    #expect(result.notModified)
    #expect(result.reasons == [.illFormed])
    #expect(after["etag"] == .string("\"1\""))
    #expect(after["successfulAttempts"] == .int64(2))
    for field in ["validity", "completeness", "newestItem", "medianItemGap", "averageArticlesPerWeek"] {
      #expect(after[field] != nil)
      #expect(after[field] == before[field], "\(field)")
    }
  }

  @Test(
    "a document that has not changed for more than 28 days has a rate of its own silence, not of its last days"
  )
  func silence() async throws {
    let catalog = try await catalog()
    transport.set(url) {
      $0.headers["If-None-Match"] == "\"1\"" ? .status(304) : .ok(FeedText.rss(), ["ETag": "\"1\""])
    }
    _ = try await check(catalog)
    func rate() async throws -> Double {
      try #require(try await catalog.metadata("a")?["averageArticlesPerWeek"]?.number)
    }
    // Items a day apart.
    #expect(try await rate() == 7)
    clock.advance(20 * 86_400)
    _ = try await check(catalog)
    #expect(try await rate() == 7)
    clock.advance(40 * 86_400)
    #expect(try await check(catalog).notModified)
    #expect((0.1...0.3).contains(try await rate()))
  }

  @Test("validators of one address are not sent to another, and its faults are forgotten")
  func newAddress() async throws {
    let catalog = try await catalog()
    transport.set(url) { _ in .ok(FeedText.rss(), ["ETag": "\"old\"", "Last-Modified": "x"]) }
    _ = try await check(catalog)
    transport.set(url) { _ in .status(410) }
    #expect(try await check(catalog).status == .down)
    try await catalog.move("a", to: "http://c.example/feed")
    transport.set("http://c.example/feed") { [clock] _ in
      .ok(FeedText.rss(now: clock.now), ["Last-Modified": "y"])
    }
    let result = try await check(catalog)
    #expect(result.status == .healthy)
    #expect(result.previousStatus == .down)
    let request = try #require(transport.requests.last { $0.url == "http://c.example/feed" })
    #expect(request.headers["If-None-Match"] == nil)
    #expect(request.headers["If-Modified-Since"] == nil)
    let metadata = try #require(try await catalog.metadata("a"))
    #expect(metadata["checkedURL"] == .string("http://c.example/feed"))
    #expect(metadata["etag"] == nil)
    #expect(metadata["lastModified"] == .string("y"))
    #expect(metadata["totalAttempts"] == .int64(3))
  }

  @Test("a new address is due at once")
  func newAddressIsDue() async throws {
    let catalog = try await catalog()
    transport.set(url) { _ in .ok(FeedText.rss(), ["Cache-Control": "max-age=80000"]) }
    transport.set("http://c.example/feed") { _ in .ok(FeedText.rss()) }
    _ = try await check(catalog, after: 60)
    try await catalog.move("a", to: "http://c.example/feed")
    #expect(try await check(catalog, after: 60).status == .healthy)
  }

  @Test(
    "counts are derived again from the record as it is when another check wrote it meanwhile",
    arguments: [(-1, 3), (1, 2)] as [(Int64, Int64)])
  func derivedAgain(_ seconds: Int64, _ failures: Int64) async throws {
    let catalog = try await catalog()
    transport.set(url) { _ in .status(500) }
    _ = try await check(catalog)
    // Another machine checks the feed between this run's reading and its writing, a second before or after this one. An
    // earlier observation is counted, and does not replace what a later one found.
    let other = StubTransport([url: { _ in .status(500) }])
    let isWritten = Mutex(false)
    let container = FaultyContainer(catalog.container) { [clock] request in
      guard case .modify = request else { return nil }
      let isFirst = isWritten.withLock { isWritten in
        defer { isWritten = true }
        return !isWritten
      }
      guard isFirst else { return nil }
      other.set("http://b.example/feed") { _ in .ok(FeedText.rss()) }
      clock.advance(seconds)
      try await catalog.check(other, clock)
      clock.advance(-seconds)
      return nil
    }
    var options = HealthOptions()
    options.policy.fullFetchDays = nil
    let report = try await HealthCheck(
      container: container, transport: transport, clock: clock.health, options: options
    ).run(
      in: WriteSession(
        WritingJob("health check", kind: .job), container: container,
        dependencies: WriteSessionDependencies(
          now: clock.health.now, runID: "late", wait: clock.health.wait)))
    #expect(report.writes.isComplete)
    let metadata = try #require(try await catalog.metadata("a"))
    #expect(metadata["totalAttempts"] == .int64(3))
    #expect(metadata["failureCount"] == .int64(failures))
    #expect(metadata["healthStatus"] == .string(failures == 3 ? "down" : "degraded"))
    #expect(try await catalog.metadata("b")?["totalAttempts"] == .int64(3))
  }
}
