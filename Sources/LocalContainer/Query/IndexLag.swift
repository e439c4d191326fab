internal import CloudKitModel
internal import SchemaLanguage
internal import Synchronization

/// Deleted records that queries still find while their index lags behind (`behavior.indexDelay`). They are kept in
/// memory: when the process has ended, the index has caught up.
final class IndexLag: Sendable {
  private struct Deletion: Sendable {
    let environment: Environment
    let record: Record
    let time: Timestamp
  }

  private let deletions = Mutex<[Deletion]>([])

  func add(_ records: [Record], in environment: Environment, at time: Timestamp) {
    let new = records.map { Deletion(environment: environment, record: $0, time: time) }
    deletions.withLock { $0 += new }
  }

  /// The records that a query finds although they were deleted after a moment. Only for a query that has no condition but
  /// on the time of changes: others find deletions at once.
  func records(of query: Query, in environment: Environment, deletedAfter moment: Timestamp) -> [Record] {
    let bounds = query.filters.map { filter in
      filter.field == .system(.modifiedTimestamp) && filter.comparator == .greaterThanOrEquals
        ? filter.value.timestamp : nil
    }
    guard !bounds.contains(nil) else { return [] }
    let earliest = bounds.compactMap(\.self).max()
    return deletions.withLock { deletions in
      deletions.removeAll { $0.time <= moment }
      return deletions.filter { deletion in
        guard deletion.environment == environment, deletion.record.recordType == query.recordType,
          let modified = deletion.record.modified?.timestamp
        else { return false }
        return modified <= moment && earliest.map { modified >= $0 } ?? true
      }.map(\.record)
    }
  }
}
