import Catalog
import CloudKitModel
import FeedFetching
import FeedHealth
import FeedState
import Foundation
import HTTPTransport
import LocalContainer
import RecordChanges
import Synchronization

/// A clock that moves only when the code waits or a test sets it.
final class TestClock: Sendable {
  private let time: Mutex<Timestamp>

  /// 2026-03-02T12:00:00Z, a Monday.
  init(_ start: Timestamp = .monday) { time = Mutex(start) }

  var now: Timestamp { time.withLock(\.self) }
  func advance(_ seconds: Int64) { time.withLock { $0.milliseconds += seconds * 1000 } }

  var health: HealthRunClock {
    HealthRunClock(now: { self.now }, wait: { self.advance(max(1, $0.components.seconds)) })
  }
}

extension Timestamp {
  static let monday = Timestamp(milliseconds: 1_772_452_800_000)
}

/// An embedded container with the shipped schema and some feeds.
struct TestCatalog {
  let container: LocalContainer

  /// - Parameters:
  ///   - clock: stamps the records; the system's by default.
  ///   - change: changes the shipped schema.
  init(
    feeds: [String: String], clock: TestClock? = nil, schema change: (String) -> String = { $0 }
  ) async throws {
    let settings = clock.map { clock in LocalContainerSettings(now: { clock.now }) }
    container = try LocalContainer.open(.memory, settings: settings ?? LocalContainerSettings())
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    try await container.importSchema(
      change(String(contentsOf: root.appending(path: "schema/celestra.ckdb"), encoding: .utf8)))
    let operations = feeds.sorted { $0.key < $1.key }.map { name, url in
      RecordOperation(
        .create, recordType: "PublicFeed", recordName: name,
        fields: ["feedURL": .string(url), "title": .string(name), "qualityScore": .double(50)])
    }
    for start in stride(from: 0, to: operations.count, by: 200) {
      _ = try await container.modify(Array(operations[start...].prefix(200)))
    }
  }

  func feed(_ name: String) async throws -> Record? {
    try await container.lookup(LookupRequest([name])).first?.record
  }

  func metadata(_ name: String) async throws -> Record? {
    try await feed(CatalogRecordNames.metadata(feed: name))
  }

  /// Puts feeds into a category, which is made for them.
  func file(_ feeds: [String], under slug: String, named category: String) async throws {
    let made = RecordOperation(
      .create, recordType: "FeedCategory", recordName: category, fields: ["slug": .string(slug)])
    let filed = feeds.map { feed in
      RecordOperation(
        .forceUpdate, recordType: "PublicFeed", recordName: feed,
        fields: ["category": .reference(Reference(category))])
    }
    let outcomes = try await container.modify([made] + filed)
    for outcome in outcomes { if let error = outcome.error { throw error } }
  }

  /// Writes what a recount found.
  func count(_ readers: [String: Int64]) async throws {
    let operations = readers.map { feed, count in
      RecordOperation(
        .forceUpdate, recordType: "PublicFeed", recordName: feed, fields: ["subscriberCount": .int64(count)])
    }
    for outcome in try await container.modify(operations) { if let error = outcome.error { throw error } }
  }

  /// What an editor does with a feed that has moved.
  func move(_ feed: String, to url: String) async throws {
    let operation = RecordOperation(
      .forceUpdate, recordType: "PublicFeed", recordName: feed, fields: ["feedURL": .string(url)])
    if let error = try await container.modify([operation]).first?.error { throw error }
  }

  var metadataCount: Int {
    get async throws { try await container.allRecords(Query("FeedMetadata")).count }
  }

  @discardableResult
  func check(
    _ transport: any HTTPTransport, _ clock: TestClock, dryRun: Bool = false,
    _ change: (inout HealthOptions) -> Void = { _ in }
  ) async throws -> HealthRunResult {
    var options = HealthOptions()
    options.policy.fullFetchDays = nil
    change(&options)
    let check = HealthCheck(
      container: container, transport: transport, clock: clock.health, options: options)
    return dryRun ? try await check.run(through: nil) : try await check.run(in: session(clock))
  }

  /// Writes without a lease: the clock of these tests belongs to the feeds.
  func session(_ clock: TestClock) -> WriteSession {
    WriteSession(
      WritingJob("health check", kind: .job), container: container,
      dependencies: WriteSessionDependencies(
        now: clock.health.now, runID: "run", wait: clock.health.wait))
  }
}

extension HealthCheck {
  /// Runs under the lease of a session, as the command does.
  func run(in session: WriteSession, showing display: (any HealthRunDisplay)? = nil) async throws
    -> HealthRunResult
  {
    try await session.run { try await run(through: $0, showing: display) }
  }
}

struct TestDisplay: HealthRunDisplay {
  var progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  var results: @Sendable ([FeedResult]) throws -> Void = { _ in }

  func show(done: Int, of total: Int) { progress(done, total) }
  func show(_ results: [FeedResult]) throws { try self.results(results) }
}

enum FeedText {
  /// An RSS document whose items are `ages` seconds old.
  static func rss(now: Timestamp = .monday, ages: [Int64] = [3600, 90_000, 176_400]) -> String {
    let items = ages.map { age in
      let date = Date(timeIntervalSince1970: Double(now.milliseconds / 1000 - age)).formatted(.iso8601)
      return """
        <item><guid>tag:\(age)</guid><title>t</title><link>http://a.example/\(age)</link>\
        <dc:date>\(date)</dc:date></item>
        """
    }
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>A</title>
      <link>http://a.example/</link><description>d</description>\(items.joined())</channel></rss>
      """
  }
}
