internal import Catalog
package import CloudKitModel
package import FeedFetching

/// Reads what the container records about feeds, for each profile: from the record beside a feed, or from the feed's own
/// record.
package struct FeedStateReader: Sendable {
  private let container: any Container
  private let mapping: FeedRecordMapping
  private let policy: FetchPolicy

  /// - Parameters:
  ///   - mapping: with the names that the container's schema has; see ``FeedRecordMapping/matching(_:)``.
  ///   - policy: the interval from which the next check of a feed follows when it is not stored.
  package init(container: any Container, mapping: FeedRecordMapping, policy: FetchPolicy = FetchPolicy()) {
    self.container = container
    self.mapping = mapping
    self.policy = policy
  }

  /// The state of each feed, in the order of the feeds: at most one lookup for each 200. Throws the errors of the lookup,
  /// but not those for absent records.
  package func states(of feeds: [Record]) async throws -> [FeedMetadata] {
    guard !feeds.isEmpty else { return [] }
    guard mapping.stateType != nil else {
      return feeds.map { FeedMetadata(feed: $0, mapping: mapping, policy: policy) }
    }
    let names = feeds.map { CatalogRecordNames.metadata(feed: $0.recordName) }
    let outcomes = try await container.lookupAll(names, desiredKeys: mapping.stateFieldNames)
    return try zip(feeds, outcomes).map { feed, outcome in
      if let error = outcome.error, error.code != .notFound { throw error }
      return FeedMetadata(feed: feed.recordName, record: outcome.record)
    }
  }
}
