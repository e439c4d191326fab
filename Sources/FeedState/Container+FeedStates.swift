internal import Catalog
package import CloudKitModel
package import FeedFetching

extension Container {
  /// What the container records about feeds, in the order of the feeds, for each profile: from the record beside a feed,
  /// with at most one lookup for each 200, or from the feed's own record. Throws the errors of the lookup, but not those
  /// for absent records.
  ///
  /// - Parameters:
  ///   - mapping: with the names that the container's schema has; see ``FeedRecordMapping/matching(_:)``.
  ///   - policy: the interval from which the next check of a feed follows when it is not stored.
  package func states(
    of feeds: [Record], _ mapping: FeedRecordMapping, policy: FetchPolicy = FetchPolicy()
  ) async throws -> [FeedMetadata] {
    guard !feeds.isEmpty else { return [] }
    guard mapping.stateType != nil else {
      return feeds.map { FeedMetadata(feed: $0, mapping: mapping, policy: policy) }
    }
    let names = feeds.map { CatalogRecordNames.metadata(feed: $0.recordName) }
    let outcomes = try await lookupAll(names, desiredKeys: mapping.stateFieldNames)
    return try zip(feeds, outcomes).map { feed, outcome in
      if let error = outcome.error, error.code != .notFound { throw error }
      return FeedMetadata(feed: feed.recordName, record: outcome.record)
    }
  }
}
