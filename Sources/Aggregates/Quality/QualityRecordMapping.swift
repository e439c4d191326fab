package import FeedState
package import SchemaLanguage

/// The record types and fields that hold feeds, their health and their scores.
package struct QualityRecordMapping: Sendable, Hashable {
  let feeds: FeedRecordMapping
  package var feedType: String { feeds.recordType }
  package var title: String { feeds.title }
  package var subscriberCount: String { feeds.subscriberCount }
  package let scoreField = "qualityScore"
  /// `nil` when the feed record itself holds its health.
  package var metadataType: String? { feeds.stateType }
  /// The field of the health record that refers to the feed.
  package let feedReference = "feedReference"

  init(_ feeds: FeedRecordMapping) { self.feeds = feeds }

  /// The layout that fits a schema: PublicFeed with FeedMetadata, or Feed alone
  /// (Documentation/reference/catalog.md#record-types).
  ///
  /// - Parameter feeds: the types and fields of the project's feeds, in place of these.
  package static func builtIn(for schema: Schema, feeds: FeedRecordMapping? = nil) -> QualityRecordMapping? {
    let layouts = feeds.map { [Self($0)] } ?? [Self(.celestra), Self(.celestraCloud)]
    return layouts.first { layout in
      schema[recordType: layout.feedType]?[field: layout.scoreField] != nil
    }
  }
}
