internal import Catalog
package import CloudKitModel
package import FeedState

/// The record type and field names of a container's articles (Documentation/reference/articles.md#fields).
package struct ArticleRecordMapping: Sendable, Hashable {
  package var recordType: String
  package var feed: String
  /// Whether ``feed`` is a reference; otherwise it is the feed's record name as text.
  package var feedIsReference: Bool
  package var published: String
  package var fetched: String
  package var expires: String
  /// Fields of the profile that the container's schema does not have.
  package var absent: Set<String> = []
  /// How long articles are kept unless a setting says otherwise.
  package var lifetime: Duration
  /// Another program writes articles under names of its own and compares a `contentHash` of its own form.
  package var isShared: Bool

  package static let celestra = ArticleRecordMapping(
    recordType: CatalogRecordType.publicArticle, feed: "feedReference", feedIsReference: true,
    published: "publishedDate", fetched: "fetchedAt", expires: "expiresAt", lifetime: .seconds(90 * 86_400),
    isShared: false)

  /// Article of celestra-cloud, with the names of December 2025.
  package static let celestraCloud = ArticleRecordMapping(
    recordType: CatalogRecordType.cloudArticle, feed: "feedRecordName", feedIsReference: false,
    published: "publishedDate",
    fetched: "fetchedAt", expires: "expiresAt", absent: ["enclosureURL", "imageURL", "language", "tags"],
    lifetime: .seconds(30 * 86_400), isShared: true)

  package static func profile(of feeds: FeedRecordMapping) -> ArticleRecordMapping {
    feeds.stateType == nil ? .celestraCloud : .celestra
  }

  /// The mapping with the field names that the container's schema has, which costs one request: an older schema has no
  /// enclosures, and that of celestra-cloud of May 2026 has other names. Throws the errors of a query.
  package func matching(_ container: any Container) async throws -> ArticleRecordMapping {
    var mapping = self
    guard isShared else {
      if !(try await container.hasField("enclosureURL", of: recordType, sample: .string(""))) {
        mapping.absent.insert("enclosureURL")
      }
      return mapping
    }
    guard
      try await container.hasField(
        "publishedTimestamp", of: recordType, sample: .timestamp(Timestamp(milliseconds: 0)))
    else { return self }
    mapping.published = "publishedTimestamp"
    mapping.fetched = "fetchedTimestamp"
    mapping.expires = "expiresTimestamp"
    mapping.absent = ["enclosureURL"]
    return mapping
  }

  /// The value of ``feed`` for a feed.
  func feedValue(_ recordName: String) -> FieldValue {
    feedIsReference ? .reference(Reference(recordName)) : .string(recordName)
  }

  func feedName(of article: Record) -> String? {
    article[feed]?.referredName
  }
}
