internal import Articles
internal import CloudKitModel
internal import Diagnostics
internal import FeedState
internal import RecordChanges

/// What the lease record of health checks stores about the last run that reported on the whole catalog.
struct HealthRunMemory {
  /// Keys of the stored result.
  fileprivate enum Key {
    static let complete = "complete"
    static let lastComplete = "lastComplete"
    static let articles = "articles"
  }

  /// When the last run over all feeds ended with a report. Falls before it were reported.
  var reportedUntil: Timestamp
  /// The end of the last run that checked every due feed; `nil` when no run has.
  var lastComplete: Timestamp?
  /// The articles that the last run wrote; `nil` for a run that stores none.
  var articlesWritten: Int64?

  init(_ run: LastJobRun) {
    reportedUntil = run.finishedAt
    // Another version may have written a result that this one cannot read.
    let result = (try? JSONValue(parsing: run.result))?.object
    articlesWritten = result?[Key.articles]?.integer
    let isComplete = result?[Key.complete]?.bool ?? true
    lastComplete =
      isComplete ? run.finishedAt : result?[Key.lastComplete]?.string.flatMap(Timestamp.init(text:))
  }

  /// `nil` when no run over all feeds has been recorded, or when the key may not read it.
  static func read(in container: any Container) async throws -> HealthRunMemory? {
    do {
      return try await LastJobRun.last(of: .health, in: container).map(HealthRunMemory.init)
    } catch let error as ServerError where error.code == .accessDenied {
      return nil
    }
  }
}

extension HealthRunResult {
  /// What to store about this run in the lease record; `nil` if it was not for all feeds, was interrupted, or recorded
  /// nothing. A run whose budget was used up has reported, too, but is not complete.
  func lastRun(at moment: Timestamp, after former: HealthRunMemory?) -> LastJobRun? {
    guard isOfAll, !localOutage, !isInterrupted, writes.isComplete else { return nil }
    let isComplete = !skipped.contains { $0.reason == .budget }
    var result: JSONObject = [
      "checked": JSONValue(checked), "healthy": JSONValue(count(of: .healthy)),
      "degraded": JSONValue(count(of: .degraded)), "down": JSONValue(count(of: .down)),
      "skipped": JSONValue(skipped.count), HealthRunMemory.Key.complete: .bool(isComplete),
    ]
    result[HealthRunMemory.Key.articles] = articles.map { JSONValue($0.written) }
    if !isComplete {
      result[HealthRunMemory.Key.lastComplete] = former?.lastComplete.map { .string($0.iso8601) }
    }
    return LastJobRun(finishedAt: moment, result: JSONValue.object(result).text())
  }
}
