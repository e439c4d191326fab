import Catalog
import CloudKitModel
import Diagnostics
import FeedState
import Foundation
import LocalContainer
import RecordChanges

@testable import FeedHealth
@testable import Reporting

extension Timestamp {
  /// 2026-03-02T12:00:00Z, a Monday.
  static let monday = Timestamp(milliseconds: 1_772_452_800_000)

  var utcDays: Int64 { milliseconds / 86_400_000 }
}

/// A feed of a test, with what checks have recorded of it.
struct SampleFeed {
  var name: String
  var title: String?
  var url: String
  var status = HealthStatus.healthy
  var readers: Int64?
  var quality: Double?
  /// Successes and failures, a day each, today last; `nil` for a day without a check.
  var days: [(Int64, Int64)?] = [(4, 0)]

  init(_ name: String, title: String? = nil, url: String? = nil) {
    self.name = name
    self.title = title ?? name
    self.url = url ?? "https://\(name).example/feed.xml"
  }

  func with(_ change: (inout Self) -> Void) -> Self {
    var feed = self
    change(&feed)
    return feed
  }
}

/// An embedded container with the shipped schema and the feeds of a test.
struct SampleCatalog {
  let container: LocalContainer

  init(_ feeds: [SampleFeed], at now: Timestamp = .monday) async throws {
    container = try LocalContainer.open(.memory)
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    try await container.importSchema(
      String(contentsOf: root.appending(path: "schema/celestra.ckdb"), encoding: .utf8))
    let operations = feeds.flatMap { Self.operations(for: $0, at: now) }
    for start in stride(from: 0, to: operations.count, by: 200) {
      for outcome in try await container.modify(Array(operations[start...].prefix(200))) {
        if let error = outcome.error { throw error }
      }
    }
  }

  private static func operations(for feed: SampleFeed, at now: Timestamp) -> [RecordOperation] {
    var fields: [String: FieldValue] = ["feedURL": .string(feed.url)]
    fields["title"] = feed.title.map(FieldValue.string)
    fields["subscriberCount"] = feed.readers.map(FieldValue.int64)
    fields["qualityScore"] = feed.quality.map(FieldValue.double)
    let record = RecordOperation(
      .create, recordType: "PublicFeed", recordName: feed.name, fields: fields)
    guard feed.status != .unknown else { return [record] }
    let metadata = metadata(of: feed, at: now)
    let values = FeedMetadataFields.rows.compactMap { row in row.write(metadata).map { (row.name, $0) } }
    let state = RecordOperation(
      .create, recordType: "FeedMetadata", recordName: CatalogRecordNames.metadata(feed: feed.name),
      fields: Dictionary(uniqueKeysWithValues: values))
    return [record, state]
  }

  fileprivate static func metadata(of feed: SampleFeed, at now: Timestamp) -> FeedMetadata {
    var metadata = FeedMetadata(feed: feed.name)
    metadata.status = feed.status
    metadata.statusSince = Timestamp(milliseconds: now.milliseconds - 3 * 86_400_000)
    metadata.lastHealthCheck = Timestamp(milliseconds: now.milliseconds - 3_600_000)
    let days = feed.days.enumerated().compactMap { index, day in
      day.map {
        DailyCheckCounts(
          day: now.utcDays - Int64(feed.days.count - 1 - index), successes: $0.0, failures: $0.1)
      }
    }
    metadata.history = DailyCheckHistory(days)
    metadata.totalAttempts = days.reduce(0) { $0 + $1.successes + $1.failures }
    metadata.successfulAttempts = days.reduce(0) { $0 + $1.successes }
    if feed.status == .healthy {
      metadata.lastFetchSuccess = metadata.lastHealthCheck
    } else {
      metadata.lastFetchFailure = metadata.lastHealthCheck
      metadata.lastFailureReason = "FH0201 not found, since 2026-02-27T12:00:00Z"
    }
    return metadata
  }

  func health(at now: Timestamp = .monday) async throws -> CatalogHealth {
    try await CatalogHealth(of: container, at: now)
  }

  /// The report of the container as it is.
  func report(
    at now: Timestamp = .monday, rows: Int? = nil, maxBytes: Int? = nil, since: ReportSnapshot? = nil,
    drift: SchemaDrift? = nil
  ) async throws -> CatalogReport {
    CatalogReport(
      try await health(at: now),
      options: CatalogReport.Options(subject: "memory: (development)", rows: rows, maxBytes: maxBytes),
      drift: drift, since: since)
  }
}

extension CatalogHealth {
  /// The feeds as they are read from a container that holds them, without the container.
  init(_ feeds: [SampleFeed], at now: Timestamp = .monday) {
    self.init(asOf: now)
    self.feeds = feeds.map { feed in
      let metadata =
        feed.status == .unknown ? FeedMetadata(feed: feed.name) : SampleCatalog.metadata(of: feed, at: now)
      return Entry(
        recordName: feed.name, feedURL: feed.url, title: feed.title, readers: feed.readers,
        reasons: feed.status.isTroubled ? [.notFound] : [], quality: feed.quality, isVerified: false,
        metadata: metadata)
    }
  }

  /// The report of this health.
  func report(rows: Int? = nil, maxBytes: Int? = nil, since: ReportSnapshot? = nil) -> CatalogReport {
    CatalogReport(
      self, options: CatalogReport.Options(subject: "memory: (development)", rows: rows, maxBytes: maxBytes),
      since: since)
  }
}

extension ReportSnapshot {
  /// The page of a report, read again.
  init(_ report: CatalogReport) throws { try self.init(Array(report.html.utf8), name: "before.html") }
}

extension CatalogReport {
  var html: String { StatusReport(self).rendered(as: .html, .plain).description }
  var markdownText: String { StatusReport(self).rendered(as: .markdown, .plain).description }
  var statusJSON: JSONValue { StatusReport(self).json }
}
