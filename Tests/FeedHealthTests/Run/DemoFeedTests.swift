import CloudKitModel
import DemoFeeds
import FeedFetching
import FeedHealth
import FeedState
import HTTPTransport
import HostileFeeds
import RecordChanges
import Testing

/// Real fetching and parsing, against servers that behave and others that do not.
@Suite struct DemoFeedTests {
  private func run(
    _ table: DemoFeedTable, checks: Int = 1, slowAnswer: Duration = .seconds(10),
    timeout: Duration = .seconds(4), maxBodyBytes: Int = 4 << 20,
    _ body: (DemoFeedServer, [HealthRunResult]) throws -> Void
  ) async throws {
    let clock = TestClock()
    let server = try await DemoFeedServer.start(
      table: table, now: clock.now.milliseconds / 1000, slowDelay: .milliseconds(400))
    let feeds = table.feeds.map { ($0.slug, "http://\($0.slug).localhost:\(server.port)/feed.xml") }
    let catalog = try await TestCatalog(feeds: Dictionary(uniqueKeysWithValues: feeds))
    let transport = try CurlTransport()
    var reports: [HealthRunResult] = []
    for _ in 0..<checks {
      let report = try await catalog.check(transport, clock) { options in
        options.policy.allowPrivateAddresses = true
        options.policy.totalTimeout = timeout
        options.policy.maxBodyBytes = maxBodyBytes
        options.thresholds.slowAnswer = slowAnswer
        options.force = true
      }
      reports.append(report)
      clock.advance(60)
    }
    try body(server, reports)
    try await server.stop()
  }

  /// The status of a first check. One failure only degrades a feed; a feed that is gone is down at once.
  private static func status(of behavior: DemoBehavior) -> HealthStatus {
    switch behavior {
    case .rss20, .rss10, .atom, .jsonFeed, .gzip, .gzipAndMore, .externalDTD: .healthy
    case .gone, .htmlPage, .softNotFound, .nulBytes, .jsonNesting, .jsonValues: .down
    default: .degraded
    }
  }

  @Test("every other behavior of the demo servers gets its status")
  func verdicts() async throws {
    let others = DemoFeedTable.everyBehavior.feeds.filter { Self.hostileDocuments[$0.behavior] == nil }
    try await run(DemoFeedTable(others)) { _, reports in
      let report = reports[0]
      #expect(report.outage == nil)
      #expect(report.writes.isComplete)
      for feed in others where feed.behavior != .slow {
        let result = report.feeds.first { $0.recordName == feed.slug }
        #expect(
          result?.status == Self.status(of: feed.behavior),
          "\(feed.slug): \(result?.reasons.map(\.code) ?? []) \(result?.detail ?? "")")
      }
    }
  }

  /// Of an honest feed that has such a thing in it only what is wrong with it is reported.
  private static let hostileDocuments: [DemoBehavior: [HealthReason]] = [
    .manyAttributes: [.illFormed], .longAttribute: [.tooLarge], .deepNesting: [.illFormed],
    .nulBytes: [.notAFeed], .nulsInText: [.illFormed], .invalidUTF8: [.illFormed, .encodingMismatch],
    .manyItems: [.tooLarge], .truncatedXML: [.illFormed], .truncatedGzip: [.damagedEncoding],
    .gzipBomb: [.tooLarge],
    .billionLaughs: [.illFormed], .quadraticEntities: [.illFormed], .externalEntity: [.illFormed],
    .externalDTD: [], .endlessReference: [.illFormed],
    .jsonShape: [.illFormed, .noItems], .jsonItems: [.tooLarge], .jsonValues: [.notAFeed],
    .jsonInOneItem: [.tooLarge], .jsonNesting: [.notAFeed], .truncatedJSON: [.illFormed],
  ]

  @Test("documents made to hurt are reported by what is wrong with them")
  func hostileDocuments() async throws {
    let behaviors = Self.hostileDocuments.keys
    let table = DemoFeedTable(behaviors.map { DemoFeed($0) })
    // They are large, and one thread makes them all.
    try await run(table, slowAnswer: .seconds(60), timeout: .seconds(60), maxBodyBytes: 2 << 20) {
      _, reports in
      for (behavior, reasons) in Self.hostileDocuments {
        let result = try #require(reports[0].feeds.first { $0.recordName == behavior.name })
        #expect(result.reasons == reasons, "\(behavior): \(result.detail ?? "")")
        #expect(result.status == Self.status(of: behavior), "\(behavior)")
      }
    }
  }

  @Test("an answer that comes late is judged by its time")
  func slow() async throws {
    let table = DemoFeedTable([DemoFeed(slug: "slow", behavior: .slow)])
    try await run(table, slowAnswer: .milliseconds(300)) { _, reports in
      #expect(reports[0].feeds.map(\.reasons) == [[.slow]])
    }
  }

  @Test("a second check of well-behaved feeds gets 304 from each")
  func conditional() async throws {
    let table = DemoFeedTable(
      [.rss20, .rss10, .atom, .jsonFeed, .gzip].map {
        DemoFeed($0)
      })
    try await run(table, checks: 2) { _, reports in
      #expect(reports[0].notModified == 0)
      #expect(reports[1].notModified == 5)
      #expect(reports[1].count(of: .healthy) == 5)
    }
  }
}
