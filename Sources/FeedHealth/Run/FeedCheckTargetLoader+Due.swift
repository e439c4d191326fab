internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import SchemaLanguage

extension FeedCheckTargetLoader {
  /// The schema lines that reading only the feeds to check needs.
  var linesForDueFeeds: String {
    "\(Self.nextCheck) TIMESTAMP QUERYABLE SORTABLE in \(mapping.stateType ?? ""), and \"\(Self.modified)\" TIMESTAMP QUERYABLE in "
      + mapping.recordType
  }

  /// Reads only the feeds that a run checks: those whose next check is due, and of those that changed since the last
  /// complete run the ones that are new, moved or no longer retired
  /// (Documentation/reference/feeds.md#what-a-run-reads). Two requests for each 200 feeds that are due, and two for each
  /// 200 that changed.
  ///
  /// - Parameter since: by the service's clock.
  /// - Returns: `nil` if the container cannot say which feeds these are, because its schema lacks an index.
  /// - Throws: errors of reading the container.
  func loadDue(at now: Timestamp, changedSince since: Timestamp) async throws -> [FeedCheckTarget]? {
    guard let stateType = mapping.stateType else { return nil }
    do {
      let due = try await feedsDue(at: now, stateType)
      let changed = try await feedsChanged(since: since, except: Set(due.map(\.recordName)))
      return Self.longestDueFirst(
        (due + changed).filter { $0.deferral(at: now, options) == nil }, force: false)
    } catch let error as ServerError where error.refusesFilter(on: [Self.nextCheck, Self.modified]) {
      return nil
    }
  }

  private static let nextCheck = "nextCheck"
  private static let modified = SystemField.modifiedTimestamp.storedName

  private func feedsDue(at now: Timestamp, _ stateType: String) async throws -> [FeedCheckTarget] {
    let filter = Filter(FieldName(Self.nextCheck), .lessThanOrEquals, .timestamp(now))
    var states: [FeedMetadata] = []
    try await container.forEachPage(
      of: Query(stateType, filters: [filter]), desiredKeys: mapping.stateFieldNames
    ) { page in
      // A record that is not the feed's own says nothing about it.
      states += page.records.compactMap { record in
        guard let feed = record["feedReference"]?.reference?.recordName,
          CatalogRecordNames.metadata(feed: feed) == record.recordName
        else { return nil }
        return FeedMetadata(feed: feed, record: record)
      }
    }
    let outcomes = try await container.lookupAll(
      states.map(\.feedRecordName), desiredKeys: mapping.feedFields)
    return try zip(states, outcomes).compactMap { state, outcome in
      if let error = outcome.error, error.code != .notFound { throw error }
      guard let feed = outcome.record, feed.recordType == mapping.recordType, !mapping.isRetired(feed) else {
        return nil
      }
      return FeedCheckTarget(feed, metadata: state, mapping)
    }
  }

  private func feedsChanged(
    since: Timestamp, except known: Set<String>
  ) async throws -> [FeedCheckTarget] {
    let filter = Filter(FieldName(Self.modified), .greaterThanOrEquals, .timestamp(since))
    var feeds: [Record] = []
    try await container.forEachPage(
      of: Query(mapping.recordType, filters: [filter]), desiredKeys: mapping.feedFields
    ) { page in
      feeds += page.records.filter { !known.contains($0.recordName) && !mapping.isRetired($0) }
    }
    return try await withMetadata(feeds)
  }
}

extension FeedCheckTarget {
  /// Until when the feed need not be checked; `nil` for a feed that is due. A time too far ahead, as a wrong clock or
  /// another program writes it, defers nothing.
  func deferral(at now: Timestamp, _ options: HealthOptions) -> Timestamp? {
    guard !options.force, let next = metadata.nextCheck, next > now,
      next.since(now) <= options.policy.maxInterval + NextCheckTime.maxShift
    else { return nil }
    return next
  }
}
