internal import CloudKitModel
internal import FeedFetching

/// Which feeds a run reads (Documentation/reference/feeds.md#what-a-run-reads).
enum RunReading: Sendable, Hashable {
  case all
  /// All, because the container's schema lacks these lines.
  case allWithoutIndexes(String)
  /// Those that are due, and those that changed since a moment of the service's clock.
  case due(changedSince: Timestamp)

  /// What would make the reading cheaper.
  var note: String? {
    guard case .allWithoutIndexes(let lines) = self else { return nil }
    return "All feeds were read, because the schema has no index that finds those that are due. Add \(lines)."
  }
}
