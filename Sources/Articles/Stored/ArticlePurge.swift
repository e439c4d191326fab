package import CloudKitModel
package import Diagnostics
internal import FeedFetching
package import RecordChanges
internal import SchemaLanguage

/// Deletes articles whose time is over (Documentation/reference/articles.md#retention).
///
/// An article is deleted when it has expired, or when it was created a lifetime ago, whatever its expiry says. It reads
/// and deletes page by page, so that a run that was stopped is continued by the next.
package struct ArticlePurge: Sendable {
  /// What to delete.
  package struct Options: Sendable {
    /// Delete what expired before this moment; `nil` for now.
    package var before: TimeOrAge?
    /// How many of the newest articles of each feed stay, expired or not.
    package var keepNewest = 0
    /// How many articles the run deletes at most.
    package var limit: Int?
    /// As ``ArticleOptions/lifetime``.
    package var lifetime: Duration

    package init(lifetime: Duration) { self.lifetime = lifetime }
  }

  private let container: any Container
  private let mapping: ArticleRecordMapping
  private let options: Options

  package init(container: any Container, mapping: ArticleRecordMapping, options: Options) {
    self.container = container
    self.mapping = mapping
    self.options = options
  }

  /// Deletes what has expired.
  ///
  /// - Parameter writer: deletes; `nil` for a dry run.
  /// - Throws: `UncertainServiceTime`, a usage error for a moment in the future, and errors of reading the container.
  ///   Refused deletions are in the result.
  package func run(through writer: LeasedJobWriter?) async throws -> ArticlePurgeResult {
    let mapping = try await mapping.matching(container)
    let cutoff = try await container.clock.certainTime(before: options.before ?? .age(.zero))
    var run = PurgeRun(container: container, mapping: mapping, options: options, writer: writer)
    try await run.deleteAll(matching: Filter(FieldName(mapping.expires), .lessThan, .timestamp(cutoff)))
    let oldest = cutoff - options.lifetime
    let creation = SystemField.createdTimestamp.storedName
    do {
      try await run.deleteAll(matching: Filter(FieldName(creation), .lessThan, .timestamp(oldest)))
    } catch let error as ServerError where error.refusesFilter(on: [creation]) {
      run.noteMissingIndex(of: creation, in: mapping.recordType)
    }
    return run.result
  }
}

/// One purge in progress.
private struct PurgeRun {
  private(set) var result = ArticlePurgeResult()
  private let container: any Container
  private let mapping: ArticleRecordMapping
  private let options: ArticlePurge.Options
  private let writer: LeasedJobWriter?
  /// The names that were decided about. An index shows deleted records for a while.
  private var seen: Set<String> = []
  private var newest: [String: Set<String>] = [:]

  init(
    container: any Container, mapping: ArticleRecordMapping, options: ArticlePurge.Options,
    writer: LeasedJobWriter?
  ) {
    self.container = container
    self.mapping = mapping
    self.options = options
    self.writer = writer
    result.isDryRun = writer == nil
  }

  mutating func noteMissingIndex(of field: String, in recordType: String) {
    result.missingIndex = "\"\(field)\" TIMESTAMP QUERYABLE in \(recordType)"
  }

  /// How many articles the run may still delete.
  private var room: Int {
    result.report.interruption == nil ? (options.limit ?? .max) - result.deleted - result.planned : 0
  }

  /// Articles that one pass reads before it deletes them.
  private static let maxPass = 2_000

  /// Reads pages until a pass over them brings nothing new, because deletions move what follows them.
  mutating func deleteAll(matching filter: Filter) async throws {
    var found: [Record]
    repeat {
      found = []
      try await container.walkPages(
        of: QueryRequest(Query(mapping.recordType, filters: [filter]), desiredKeys: [mapping.feed])
      ) { page in
        found += page.records.filter { !seen.contains($0.recordName) }
        return found.count < Self.maxPass
      }
      try await delete(found)
      guard result.report.interruption == nil else { return }
      if found.contains(where: { !seen.contains($0.recordName) }) { return result.isComplete = false }
    } while !found.isEmpty
  }

  private mutating func delete(_ records: [Record]) async throws {
    var changes: [RecordChange] = []
    let room = room
    for record in records {
      guard changes.count < room else { break }
      seen.insert(record.recordName)
      result.expired += 1
      if try await isKept(record) {
        result.kept += 1
      } else {
        changes.append(
          RecordChange(
            .delete, recordType: record.recordType, recordName: record.recordName,
            changeTag: record.changeTag))
      }
    }
    guard let writer else {
      result.planned += changes.count
      return
    }
    result.report.add(try await writer.apply(changes, policy: .reapply))
  }

  private mutating func isKept(_ record: Record) async throws -> Bool {
    guard options.keepNewest > 0, let feed = mapping.feedName(of: record) else { return false }
    if let known = newest[feed] { return known.contains(record.recordName) }
    let query = Query(
      mapping.recordType, filters: [Filter(FieldName(mapping.feed), equals: mapping.feedValue(feed))],
      sorts: [Sort(FieldName(mapping.published), ascending: false)])
    let kept = try await container.firstRecords(query, desiredKeys: [], limit: options.keepNewest).records
    newest[feed] = Set(kept.map(\.recordName))
    return newest[feed]?.contains(record.recordName) ?? false
  }
}

/// The report of `articles purge`.
package struct ArticlePurgeResult: Report {
  /// Articles whose time is over, as far as they were read.
  package internal(set) var expired = 0
  /// Those that stay because they are among the newest of their feed.
  package internal(set) var kept = 0
  /// What a dry run would delete.
  var planned = 0
  /// The index without which articles are found only by their expiry; `nil` if the schema has it.
  var missingIndex: String?
  var report = WriteSummary()
  var isDryRun = false
  var isComplete = true

  package var deleted: Int { report.applied + report.alreadyApplied }
  package var status: ExitStatus { report.status }
  package var failure: CommandFailure? { report.failure }
  package var isConfirmation: Bool { report.isComplete && !isDryRun }
  package var tally: String? { "\(counted(deleted, "article")) deleted" }

  package var metrics: [Metric] {
    [
      Metric(MetricFamily("articles_expired", "Expired articles that the last purge found"), expired),
      Metric(MetricFamily("articles_deleted", "Articles that the last purge deleted"), deleted),
    ]
  }

  package var json: JSONValue {
    var object: JSONObject = [
      "expired": JSONValue(expired), "kept": JSONValue(kept), "deleted": JSONValue(deleted),
      "complete": .bool(isComplete && report.isComplete),
    ]
    object["missingIndex"] = missingIndex.map(JSONValue.string)
    if !report.remaining.isEmpty { object["remaining"] = report.remainingJSON }
    return .object(object)
  }

  package var body: ReportBody {
    let rest = isComplete ? "" : "; there are more for the next run"
    if isDryRun {
      "\(counted(expired, "article")) expired; would delete \(planned), keep \(kept)\(rest)"
    } else {
      "deleted \(deleted) of \(counted(expired, "expired article")), kept \(kept)\(rest)"
    }
    if let missingIndex {
      "Articles without an expiry were not looked for: the schema lacks \(missingIndex)."
    }
  }
}
