package import CloudKitModel
package import Diagnostics

/// A job that deletes records whose time is over. It is not undone.
package protocol Purge: Sendable {
  /// Throws what ``run(through:limit:)`` would, before it has read records.
  func check() async throws
  /// Throws the errors of reading the container. Refused deletions are in the result.
  ///
  /// - Parameters:
  ///   - writer: deletes; `nil` for a dry run.
  ///   - limit: how many records are deleted at most; `nil` for all.
  func run(through writer: JobWriter?, limit: Int?) async throws -> PurgeResult
}

/// Deletes what queries find, pass by pass, so that a run that was stopped is continued by the next. It is not undone.
package struct RecordPurge {
  /// What was found and deleted so far.
  package private(set) var result: PurgeResult
  private let container: any Container
  private let limit: Int
  private let writer: JobWriter?
  /// The names that were decided about. An index shows deleted records for a while.
  private var seen: Set<String> = []

  /// - Parameters:
  ///   - noun: what is deleted: `article`.
  ///   - limit: how many records are deleted at most; `nil` for all.
  ///   - writer: deletes; `nil` for a dry run.
  package init(_ noun: String, in container: any Container, limit: Int?, through writer: JobWriter?) {
    self.container = container
    self.limit = limit ?? .max
    self.writer = writer
    result = PurgeResult(noun: noun, isDryRun: writer == nil)
  }

  /// Notes the index without which a part of the records was not looked for.
  package mutating func noteMissingIndex(_ line: String) { result.missingIndex = line }

  private var room: Int {
    result.report.interruption == nil ? limit - result.deleted - result.planned : 0
  }

  /// Records that one pass reads before it deletes them: enough that most runs know their number, and no more than a limit
  /// needs.
  private var maxPass: Int { limit == .max ? 50_000 : 2_000 }

  /// Reads pages until a pass over them brings nothing new, because deletions move what follows them.
  ///
  /// Throws the errors of reading and of `kept`. Refused deletions are in the result, and so are records that another client
  /// changed since they were found: their time may not be over any more.
  ///
  /// - Parameter kept: the names, among those of the given records, that stay.
  package mutating func deleteAll(
    _ query: Query, desiredKeys: [String], keeping kept: ([Record]) async throws -> Set<String>
  ) async throws {
    var found: [Record]
    repeat {
      found = []
      try await container.walkPages(of: QueryRequest(query, desiredKeys: desiredKeys)) { page in
        found += page.records.filter { !seen.contains($0.recordName) }
        return found.count < maxPass
      }
      try await delete(found, keeping: try await kept(found), isLast: found.count < maxPass)
      guard result.report.interruption == nil else { return }
      if found.contains(where: { !seen.contains($0.recordName) }) { return result.isComplete = false }
    } while !found.isEmpty
  }

  private mutating func delete(_ records: [Record], keeping kept: Set<String>, isLast: Bool) async throws {
    var changes: [RecordChange] = []
    let room = room
    for record in records where !seen.contains(record.recordName) {
      let isKept = kept.contains(record.recordName)
      guard isKept || changes.count < room else { break }
      seen.insert(record.recordName)
      result.expired += 1
      if isKept { result.kept += 1 } else { changes.append(RecordChange(deleting: record)) }
    }
    guard let writer else {
      result.planned += changes.count
      return
    }
    result.report.add(
      try await writer.apply(changes, policy: .refuse, isLast: isLast || changes.count == room))
  }
}

package struct PurgeResult: Report {
  fileprivate let noun: String
  fileprivate let isDryRun: Bool
  /// Records whose time is over, as far as they were read.
  package fileprivate(set) var expired = 0
  /// Those that stay nevertheless.
  package fileprivate(set) var kept = 0
  /// What a dry run would delete.
  package fileprivate(set) var planned = 0
  /// The index without which some records are not found; `nil` if the schema has it.
  fileprivate var missingIndex: String?
  fileprivate var report = WriteSummary()
  fileprivate var isComplete = true

  package var deleted: Int { report.applied + report.alreadyApplied }
  package var status: ExitStatus { report.status }
  package var failure: CommandFailure? { report.failure }
  package var isConfirmation: Bool { report.isComplete && !isDryRun }
  package var urgent: ReportBody? { isDryRun ? nil : ReportBody() }
  package var tally: Tally? { "\(deleted) deleted\(report.unknownPart)" }

  package var metrics: [Metric] {
    [
      Metric(MetricFamily("\(noun)s_expired", "The expired \(noun)s that the last purge found"), expired),
      Metric(MetricFamily("\(noun)s_deleted", "The \(noun)s that the last purge deleted"), deleted),
    ]
  }

  package var json: JSONValue {
    .object([
      "expired": expired.json, "kept": kept.json, "deleted": deleted.json,
      "complete": (isComplete && report.isComplete).json, "missingIndex": missingIndex?.json,
      "remaining": report.remaining.isEmpty ? nil : report.remainingJSON,
    ])
  }

  package var body: ReportBody {
    let spared = kept > 0 ? ", \(isDryRun ? "keep" : "kept") \(kept)" : ""
    let rest = isComplete ? spared : "\(spared); there are more for the next run"
    if isDryRun {
      "\(counted(expired, noun)) expired; would delete \(planned)\(rest)"
    } else {
      "deleted \(deleted) of \(counted(expired, "expired \(noun)"))\(report.unknownPart)\(rest)"
    }
    if let missingIndex {
      "\(noun.prefix(1).uppercased())\(noun.dropFirst())s without an expiry were not looked for: the schema lacks \(missingIndex)."
    }
  }
}
