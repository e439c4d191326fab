import Catalog
import CloudKitModel
import Diagnostics
import FeedFetching
import FeedHealth
import FeedState
import HTTPTransport
import LocalContainer
import RecordChanges
import Synchronization
import Testing

@Suite struct RunTests {
  private let clock = TestClock()

  /// Feeds `f0`... on hosts of their own; those of `dead` have no address.
  private func web(_ count: Int, dead: Set<Int> = []) -> (feeds: [String: String], transport: StubTransport) {
    let urls = (0..<count).map { "http://h\($0).example/feed" }
    let transport = StubTransport()
    for index in 0..<count where !dead.contains(index) {
      transport.set(urls[index]) { _ in .ok(FeedText.rss()) }
    }
    return (
      Dictionary(uniqueKeysWithValues: urls.enumerated().map { ("f\($0.offset)", $0.element) }), transport
    )
  }

  @Test(
    "an outage that begins during a run ends it, keeps what was recorded before, and is written to no feed",
    arguments: [
      (40, 20, 10), (40, 8, 100), (40, 36, 100), (40, 39, 100), (2, 1, 100), (150, 40, 100), (260, 20, 100),
    ], [1, 16])
  func outageMidway(_ size: (hosts: Int, reached: Int, sample: Int), _ concurrency: Int) async throws {
    let (feeds, transport) = web(size.hosts)
    let asked = Counter()
    let catalog = try await TestCatalog(feeds: feeds)
    try await catalog.check(transport, clock)
    clock.advance(86_400)
    for url in feeds.values {
      transport.set(url) { [clock] _ throws(HTTPFailure) in
        guard asked.next() <= size.reached else { throw HTTPFailure(.connect, "no route") }
        return .ok(FeedText.rss(now: clock.now))
      }
    }
    let report = try await catalog.check(transport, clock) {
      $0.concurrency = concurrency
      $0.thresholds.outageSample = size.sample
    }
    #expect(report.outage?.signature == .noConnection)
    #expect(report.feeds.allSatisfy { $0.cause == nil || $0.status == .unknown && $0.cause == .ours })
    let stored = try await catalog.container.allRecords(Query("FeedMetadata"))
    #expect(stored.allSatisfy { $0["healthStatus"] == .string("healthy") })
    let checkedTwice = stored.count { $0["totalAttempts"] == .int64(2) }
    // What is reached first is recorded as soon as less than half of the sample can still fail.
    let isMostlyReached = size.reached * 2 > min(size.hosts, size.sample)
    #expect(checkedTwice <= size.reached && (checkedTwice > 0 || !isMostlyReached))
  }

  @Test("a second run skips what was just checked; force checks it anyway")
  func notDue() async throws {
    let (feeds, transport) = web(3)
    let catalog = try await TestCatalog(feeds: feeds)
    try await catalog.check(transport, clock)
    clock.advance(60)
    let second = try await catalog.check(transport, clock)
    #expect(second.checked == 0)
    #expect(second.skipped.count == 3)
    #expect(transport.requests.count == 3)
    #expect(try await catalog.check(transport, clock) { $0.force = true }.checked == 3)
  }

  @Test("a run that was cut off is finished by the next one")
  func resumed() async throws {
    let (feeds, transport) = web(30)
    let catalog = try await TestCatalog(feeds: feeds)
    var options = HealthOptions()
    options.concurrency = 1
    options.thresholds.outageSample = 5
    let check = HealthCheck(
      container: catalog.container, transport: transport, clock: clock.health, options: options)
    for url in feeds.values {
      transport.set(url) { [clock] _ in
        clock.advance(2)
        return .ok(FeedText.rss())
      }
    }
    struct Killed: Error {}
    let seen = Counter()
    await #expect(throws: Killed.self) {
      try await check.run(
        in: catalog.session(clock),
        showing: TestDisplay(results: { [clock] results in
          for _ in results {
            clock.advance(2)
            if seen.next() == 20 { throw Killed() }
          }
        }))
    }
    #expect(try await catalog.metadataCount >= 20)
    let recorded = try await catalog.metadataCount
    #expect(recorded < 30)
    let second = try await check.run(in: catalog.session(clock))
    #expect(second.checked == 30 - recorded)
    #expect(second.skipped.count == recorded)
    #expect(try await catalog.metadataCount == 30)
  }

  @Test("when the budget is spent the rest is skipped and not recorded")
  func budget() async throws {
    let (feeds, transport) = web(6)
    for url in feeds.values {
      transport.set(url) { [clock] _ in
        clock.advance(10)
        return .ok(FeedText.rss())
      }
    }
    let catalog = try await TestCatalog(feeds: feeds)
    let report = try await catalog.check(transport, clock) {
      $0.concurrency = 1
      $0.budget = .seconds(25)
    }
    #expect(report.checked == 3)
    #expect(report.skipped.map(\.reason) == [.budget, .budget, .budget])
    #expect(try await catalog.metadataCount == 3)
  }

  @Test("no more requests are under way than asked for", arguments: [1, 3])
  func concurrency(limit: Int) async throws {
    let transport = CountingTransport()
    let catalog = try await TestCatalog(feeds: web(12).feeds)
    let report = try await catalog.check(transport, clock) { $0.concurrency = limit }
    #expect(report.checked == 12)
    #expect(transport.peak <= limit)
  }

  @Test("requests to one host follow one another with a pause")
  func politeness() async throws {
    let times = Mutex<[Int64]>([])
    let transport = StubTransport()
    let feeds = Dictionary(uniqueKeysWithValues: (0..<3).map { ("f\($0)", "http://a.example/\($0)") })
    for url in feeds.values {
      transport.set(url) { [clock] _ in
        times.withLock { $0.append(clock.now.milliseconds) }
        return .ok(FeedText.rss())
      }
    }
    let catalog = try await TestCatalog(feeds: feeds)
    try await catalog.check(transport, clock) { $0.policy.hostDelay = .seconds(3) }
    let starts = times.withLock(\.self)
    #expect(zip(starts.dropFirst(), starts).allSatisfy { $0 - $1 >= 3000 })
  }

  @Test("from the second feed on, Retry-After holds for the whole host, in this run and the next")
  func retryAfter() async throws {
    let transport = StubTransport()
    for path in 0..<3 {
      transport.set("http://a.example/\(path)") { _ in .status(429, ["Retry-After": "36000"]) }
    }
    let catalog = try await TestCatalog(feeds: [
      "f0": "http://a.example/0", "f1": "http://a.example/1", "f2": "http://a.example/2",
    ])
    let report = try await catalog.check(transport, clock)
    #expect(transport.requests.count == 2)
    #expect(report.skipped.count == 1)
    clock.advance(4 * 3600)
    let later = try await catalog.check(transport, clock)
    #expect(later.checked == 0)
    #expect(later.skipped.count == 3)
    #expect(try await catalog.metadata("f2")?["healthStatus"] == nil)
  }

  @Test("robots.txt is asked for once a host and obeyed, when wanted")
  func robots() async throws {
    let transport = StubTransport([
      "http://a.example:80/robots.txt": { _ in .ok("User-agent: *\nDisallow: /private") },
      "http://a.example/open": { _ in .ok(FeedText.rss()) },
    ])
    let catalog = try await TestCatalog(feeds: [
      "open": "http://a.example/open", "closed": "http://a.example/private/feed",
    ])
    let report = try await catalog.check(transport, clock) { $0.policy.obeysRobots = true }
    #expect(report.feeds.map(\.recordName) == ["open"])
    #expect(report.skipped.map(\.reason) == [.robots])
    #expect(transport.requests.count { $0.url.hasSuffix("robots.txt") } == 1)
  }

  @Test("only the feeds asked for are checked, by record name or URL; an unknown one is an error")
  func only() async throws {
    let (feeds, transport) = web(4)
    let catalog = try await TestCatalog(feeds: feeds)
    let report = try await catalog.check(transport, clock) { $0.only = ["f1", "HTTP://H2.example/feed"] }
    #expect(Set(report.feeds.map(\.recordName)) == ["f1", "f2"])
    await #expect(throws: HealthCheckError.unknownFeeds(["f9"])) {
      try await catalog.check(transport, clock) { $0.only = ["f9", "f0"] }
    }
  }

  @Test("a retired feed is neither checked nor judged, unless it is named")
  func retired() async throws {
    let (feeds, transport) = web(2)
    let catalog = try await TestCatalog(feeds: feeds)
    let operation = RecordOperation(
      .forceUpdate, recordType: "PublicFeed", recordName: "f1", fields: ["isRetired": .int64(1)])
    #expect(try await catalog.container.modify([operation]).first?.error == nil)
    #expect(try await catalog.check(transport, clock).feeds.map(\.recordName) == ["f0"])
    #expect(try await catalog.check(transport, clock) { $0.only = ["f1"] }.feeds.map(\.recordName) == ["f1"])
    let health = try await CatalogHealth(of: catalog.container, at: clock.now)
    #expect(health.feeds.map(\.recordName) == ["f0"] && health.retired.map(\.recordName) == ["f1"])
  }

  @Test("a feed is named by the slug of its seed, or by that of its title")
  func slugs() async throws {
    let (feeds, transport) = web(3)
    let catalog = try await TestCatalog(feeds: feeds)
    let report = try await catalog.check(transport, clock) {
      $0.only = ["daring-fireball", "f2"]
      $0.aliases = ["daring-fireball": "http://h1.example/feed"]
    }
    #expect(Set(report.feeds.map(\.recordName)) == ["f1", "f2"])
  }

  @Test(
    "a feed is named by the slug of its record, whatever its title is and whatever address its seed has by now"
  )
  func recordedSlugs() async throws {
    let (feeds, transport) = web(3)
    let catalog = try await TestCatalog(feeds: feeds)
    let operation = RecordOperation(
      .forceUpdate, recordType: "PublicFeed", recordName: "f1",
      fields: ["slug": .string("harbor"), "title": .string("Old Name")])
    if let error = try await catalog.container.modify([operation]).first?.error { throw error }
    let report = try await catalog.check(transport, clock) {
      $0.only = ["harbor"]
      $0.aliases = ["harbor": "http://elsewhere.example/feed"]
    }
    #expect(report.feeds.map(\.recordName) == ["f1"])
    await #expect(throws: HealthCheckError.unknownFeeds(["old-name"])) {
      try await catalog.check(transport, clock) { $0.only = ["old-name"] }
    }
  }

  @Test("candidates are checked without being recorded, and those that the container has are left out")
  func candidates() async throws {
    let (feeds, transport) = web(2)
    let catalog = try await TestCatalog(feeds: ["f0": "http://h0.example/feed"])
    let candidates = feeds.map { SeedFeed(slug: $0.key, title: $0.key, feedURL: $0.value) }
    let check = HealthCheck(
      container: catalog.container, transport: transport, clock: clock.health)
    let report = try await catalog.session(clock).run {
      try await check.run(candidates: candidates, through: $0)
    }
    #expect(report.feeds.map(\.recordName) == ["f1"])
    #expect(report.feeds.map(\.status) == [.healthy])
    #expect(report.plan == nil)
    #expect(try await catalog.metadataCount == 0)
  }

  @Test("a run that is cancelled records exactly what it printed, and says so")
  func cancelled() async throws {
    let (feeds, transport) = web(40)
    let catalog = try await TestCatalog(feeds: feeds)
    var options = HealthOptions()
    options.concurrency = 1
    let check = HealthCheck(
      container: catalog.container, transport: transport, clock: clock.health, options: options)
    let printed = Counter()
    let cancel = Mutex<(@Sendable () -> Void)?>(nil)
    let isReady = AsyncStream.makeStream(of: Void.self)
    let run = Task {
      for await _ in isReady.stream { break }
      return try await check.run(
        in: catalog.session(clock),
        showing: TestDisplay(
          progress: { done, _ in if done == 5 { cancel.withLock { $0?() } } },
          results: { results in for _ in results { printed.next() } }))
    }
    cancel.withLock { $0 = { run.cancel() } }
    isReady.continuation.finish()
    let report = try await run.value
    #expect(report.isInterrupted)
    #expect(printed.count >= 5)
    #expect(try await catalog.metadataCount == printed.count)
    #expect(report.feeds.count == printed.count)
    #expect(HealthRunReport(report).status == .interrupted)
  }

  @Test("a category is asked for by its slug; one that is not there is an error that names the nearest")
  func category() async throws {
    let (feeds, transport) = web(3)
    let catalog = try await TestCatalog(feeds: feeds)
    try await catalog.file(["f0", "f2"], under: "technology", named: "cat-1")
    let report = try await catalog.check(transport, clock) { $0.category = "technology" }
    #expect(Set(report.feeds.map(\.recordName)) == ["f0", "f2"])
    await #expect(throws: HealthCheckError.unknownCategory("tecnology", nearest: "technology")) {
      try await catalog.check(transport, clock) { $0.category = "tecnology" }
    }
    await #expect(throws: HealthCheckError.unknownCategory("x", nearest: nil)) {
      try await catalog.check(transport, clock) { $0.category = "x" }
    }
  }

  @Test("two runs at once leave every feed with one sound record")
  func together() async throws {
    let (feeds, transport) = web(50)
    let catalog = try await TestCatalog(feeds: feeds)
    async let first = catalog.check(transport, clock)
    async let second = catalog.check(transport, clock)
    let reports = try await [first, second]
    #expect(reports.allSatisfy { $0.writes.isComplete })
    let stored = try await catalog.container.allRecords(Query("FeedMetadata"))
    #expect(stored.count == 50)
    #expect(stored.allSatisfy { $0["healthStatus"] == .string("healthy") })
  }
}

/// Answers when it was let run for a while, and counts the requests that are under way.
private final class CountingTransport: HTTPTransport {
  private let state = Mutex((underWay: 0, peak: 0))

  var peak: Int { state.withLock(\.peak) }

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    state.withLock {
      $0.underWay += 1
      $0.peak = max($0.peak, $0.underWay)
    }
    for _ in 0..<1000 { await Task.yield() }
    state.withLock { $0.underWay -= 1 }
    return .ok(FeedText.rss(), from: request.url)
  }
}
