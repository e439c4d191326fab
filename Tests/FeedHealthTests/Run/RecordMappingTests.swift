import CloudKitModel
import FeedFetching
import FeedState
import Foundation
import HTTPTransport
import LocalContainer
import RecordChanges
import Testing

@testable import FeedHealth

/// Feeds in the record type of celestra-cloud, which keeps the state of its checks in its own fields.
@Suite struct RecordMappingTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"

  /// The versions of celestra-cloud's schema.
  enum Version: CaseIterable {
    case december2025, may2026

    /// The field with the time of the last check.
    var lastCheck: String { self == .december2025 ? "lastAttempted" : "attemptedTimestamp" }

    /// - Parameter text: schema/celestra-feed.ckdb.
    func schema(_ text: String) throws -> String {
      guard self == .may2026 else { return text }
      let line = try #require(text.firstMatch(of: /lastAttempted +TIMESTAMP QUERYABLE SORTABLE,/)).output
      return text.replacing(
        line,
        with: """
          attemptedTimestamp TIMESTAMP QUERYABLE SORTABLE, verifiedTimestamp TIMESTAMP QUERYABLE SORTABLE,
          isActive INT64 QUERYABLE, language STRING QUERYABLE, tags LIST<STRING>,
          """)
    }
  }

  /// What the other program keeps in its record and relies on.
  private static let foreign: [String: FieldValue] = [
    "etag": .string("\"theirs\""), "lastModified": .string("Mon, 01 Jan 2024 00:00:00 GMT"),
    "minUpdateInterval": .double(3600), "qualityScore": .int64(50), "isFeatured": .int64(1),
  ]

  private func container(
    _ version: Version = .december2025, _ more: [String: FieldValue] = [:],
    schema change: (String) -> String = { $0 }
  ) async throws -> LocalContainer {
    let container = try LocalContainer.open(.memory)
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let text = try String(contentsOf: root.appending(path: "schema/celestra-feed.ckdb"), encoding: .utf8)
    try await container.importSchema(change(version.schema(text)))
    let fields: [String: FieldValue] = [
      "feedURL": .string(url), "title": .string("F"), "category": .string("tech"),
    ]
    let outcome = try await container.modify([
      RecordOperation(
        .create, recordType: "Feed", recordName: "f", fields: fields.merging(more) { $1 })
    ])
    #expect(outcome.first?.error == nil)
    return container
  }

  private func check(_ container: LocalContainer, _ answer: @escaping StubTransport.Answer) async throws
    -> FeedResult
  {
    var options = HealthOptions()
    options.mapping = .celestraCloud
    options.force = true
    options.category = "tech"
    let session = WriteSession(
      WritingJob("health check", kind: .job), container: container,
      dependencies: WriteSessionDependencies(
        now: clock.health.now, runID: "run", wait: clock.health.wait))
    let check = HealthCheck(
      container: container, transport: StubTransport([url: answer]), clock: clock.health, options: options)
    let report = try await check.run(in: session)
    #expect(report.writes.isComplete)
    clock.advance(86_400)
    return try #require(report.feeds.first)
  }

  @Test(
    "a check is recorded in the fields that the container's schema has, and the next one goes on from there",
    arguments: Version.allCases)
  func recorded(version: Version) async throws {
    let container = try await container(version)
    let first = try await check(container) { _ in .ok(FeedText.rss()) }
    #expect(first.status == .healthy)
    let record = try #require(try await container.lookup(LookupRequest(["f"])).first?.record)
    #expect(record["totalAttempts"] == .int64(1))
    #expect(record[version.lastCheck] == .timestamp(.monday))
    let second = try await check(container) { _ in .status(500) }
    #expect(second.previousStatus == .healthy)
    let after = try #require(try await container.lookup(LookupRequest(["f"])).first?.record)
    #expect(after["totalAttempts"] == .int64(2))
    #expect(after["failureCount"] == .int64(1))
    #expect(after[version.lastCheck]?.timestamp == .monday + .seconds(86_400))
    #expect(after["verifiedTimestamp"]?.timestamp == (version == .may2026 ? .monday : nil))
  }

  @Test(
    "a check neither sends nor writes the validators of another program, nor its other fields",
    arguments: Version.allCases)
  func foreignFields(version: Version) async throws {
    let more: [String: FieldValue] =
      version == .may2026
      ? [
        "isActive": .int64(1), "language": .string("en"), "updateFrequency": .double(2.5),
        "tags": .list(of: .string, [.string("swift")]),
      ] : [:]
    let own = Self.foreign.merging(more) { $1 }
    let container = try await container(version, own)
    let conditions = Counter()
    for answer in [
      HTTPResponse.ok(FeedText.rss(), ["ETag": "\"new\"", "Last-Modified": "Tue, 02 Jan 2024 00:00:00 GMT"]),
      .status(503), .ok(FeedText.rss(), ["ETag": "W/\"x\""]),
    ] {
      _ = try await check(container) { request in
        if request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil {
          conditions.next()
        }
        return answer
      }
    }
    #expect(conditions.count == 0)
    let record = try #require(try await container.lookup(LookupRequest(["f"])).first?.record)
    for (field, value) in own { #expect(record[field] == value, "\(field)") }
    #expect(record["totalAttempts"] == .int64(3))
  }

  /// The feeds that an hourly run checks.
  private func due(_ container: LocalContainer) async throws -> Int {
    var options = HealthOptions()
    options.mapping = .celestraCloud
    let transport = StubTransport([url: { _ in .ok(FeedText.rss()) }])
    let check = HealthCheck(
      container: container, transport: transport, clock: clock.health, options: options)
    return try await check.run(through: nil).feeds.count
  }

  @Test("a feed that seeds retired is neither checked nor counted, and comes back with its program")
  func inactive() async throws {
    // The older schema with the field that seeds then write.
    let cases: [(Version, Int64, Int)] = [(.may2026, 0, 0), (.may2026, 1, 1), (.december2025, 0, 0)]
    for (version, value, expected) in cases {
      let container = try await container(version, ["isActive": .int64(value)]) {
        version == .may2026 ? $0 : $0.replacing("lastModified ", with: "isActive INT64, lastModified ")
      }
      #expect(try await due(container) == expected)
      let health = try await CatalogHealth(of: container, mapping: .celestraCloud, at: clock.now)
      #expect(health.feeds.count == expected && health.retired.count == 1 - expected)
    }
  }

  @Test(
    "a feed is not checked sooner than its record asks, but at least once a day", arguments: Version.allCases,
    [(7200.0, 7190, 7210), (1e300, 86_000, 86_410), (-5, 2000, 3010), (0, 2000, 3010)]
      as [(Double, Int64, Int64)])
  func minimumInterval(version: Version, asked: (seconds: Double, early: Int64, late: Int64)) async throws {
    let container = try await container(
      version,
      [
        "minUpdateInterval": .double(asked.seconds), "totalAttempts": .int64(1),
        "successfulAttempts": .int64(1), version.lastCheck: .timestamp(clock.now),
      ])
    clock.advance(asked.early)
    #expect(try await due(container) == 0)
    clock.advance(asked.late - asked.early)
    #expect(try await due(container) == 1)
  }

  @Test("a check that fails does not say that the feed was verified")
  func notVerified() async throws {
    let counts: [String: FieldValue] = [
      "attemptedTimestamp": .timestamp(.monday + .seconds(-86_400)), "totalAttempts": .int64(4),
      "successfulAttempts": .int64(4),
    ]
    let container = try await container(.may2026, counts)
    let result = try await check(container) { _ in .status(500) }
    #expect(result.previousStatus == .healthy)
    let record = try #require(try await container.lookup(LookupRequest(["f"])).first?.record)
    #expect(record["failureCount"] == .int64(1) && record["verifiedTimestamp"] == nil)
  }

  @Test(
    "the time between items is written in seconds where the schema means seconds",
    arguments: Version.allCases)
  func updateFrequency(version: Version) async throws {
    let container = try await container(version)
    _ = try await check(container) { _ in .ok(FeedText.rss()) }
    let record = try #require(try await container.lookup(LookupRequest(["f"])).first?.record)
    #expect(record["updateFrequency"]?.number == (version == .may2026 ? nil : 86_400))
  }

  @Test("a field without an index is found too, and a type that is missing is named")
  func unindexed() async throws {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(
      """
      DEFINE SCHEMA
      RECORD TYPE Feed (
        "___recordID" REFERENCE QUERYABLE, feedURL STRING, title STRING, attemptedTimestamp TIMESTAMP,
        GRANT READ, CREATE, WRITE TO "_icloud"
      );
      """)
    #expect(
      try await FeedRecordMapping.celestraCloud.matching(container).stateFields?["lastHealthCheck"]
        == "attemptedTimestamp")
    try await container.importSchema("DEFINE SCHEMA\n")
    await #expect(throws: HealthCheckError.noFeedType("Feed")) {
      try await CatalogHealth(of: container, mapping: .celestraCloud, at: clock.now)
    }
  }

  @Test("failures in a row make the feed down, and the status shows it", arguments: Version.allCases)
  func failing(version: Version) async throws {
    let container = try await container(version)
    var statuses: [HealthStatus] = []
    for _ in 0..<3 { statuses.append(try await check(container) { _ in .status(500) }.status) }
    #expect(statuses == [.degraded, .degraded, .down])
    let health = try await CatalogHealth(of: container, mapping: .celestraCloud, at: clock.now)
    #expect(health.troubled.map(\.status) == [.down])
    #expect(health.troubled.map(\.category) == ["tech"])
    #expect(health.troubled.map(\.reasons) == [[.serverError]])
  }

  @Test(
    "the status shows what each check has said: a page at once or at the second sighting, a wall, a success")
  func statuses() async throws {
    let container = try await container()
    func shown(_ answer: @escaping StubTransport.Answer) async throws -> [HealthReason] {
      let result = try await check(container, answer)
      let health = try await CatalogHealth(of: container, mapping: .celestraCloud, at: clock.now)
      let entry = try #require(health.feeds.first)
      // Of a success the record keeps no findings.
      #expect(entry.status == (entry.reasons.isEmpty ? .healthy : result.status))
      return entry.reasons
    }
    let page: StubTransport.Answer = { [url] _ in
      .ok("<!DOCTYPE html><title>Hello</title><p>Hello", from: url)
    }
    let wall: StubTransport.Answer = { _ in .status(403, ["cf-mitigated": "challenge"]) }
    let feed: StubTransport.Answer = { [url] _ in .ok(FeedText.rss(), from: url) }
    #expect(try await shown(wall) == [.botWall])
    #expect(try await shown(wall) == [.botWall])
    #expect(try await shown(page) == [.htmlPage])
    #expect(try await shown(feed).isEmpty)
    #expect(try await shown(wall) == [.botWall])
    #expect(try await shown(wall) == [.botWall])
    #expect(try await shown(feed).isEmpty)
    #expect(try await shown(page) == [.htmlPage])
    #expect(try await shown(page) == [.htmlPage])
    #expect(try await shown { _ in .status(410) } == [.gone])
  }
}
