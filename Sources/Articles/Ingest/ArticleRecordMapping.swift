internal import Catalog
package import CloudKitModel
public import FeedState

/// The record type and field names of a container's articles (Documentation/reference/articles.md#fields).
public struct ArticleRecordMapping: Sendable, Hashable {
  public var recordType: String
  /// The field with the article's feed.
  public var feed: String
  /// Whether ``feed`` is a reference; otherwise it is the feed's record name as text.
  public var feedIsReference: Bool
  public var published: String
  public var fetched: String
  public var expires: String
  /// Fields of the profile that the container's schema does not have.
  public var absent: Set<String> = []
  /// How long articles are kept unless a setting says otherwise.
  public var lifetime: Duration
  /// Another program writes articles under names of its own and compares a `contentHash` of its own form.
  public var isShared: Bool

  /// PublicArticle of the Celestra catalog.
  public static let celestra = ArticleRecordMapping(
    recordType: CatalogRecordType.publicArticle, feed: "feedReference", feedIsReference: true,
    published: "publishedDate", fetched: "fetchedAt", expires: "expiresAt", lifetime: .seconds(90 * 86_400),
    isShared: false)

  /// Article of celestra-cloud, with the names of December 2025.
  public static let celestraCloud = ArticleRecordMapping(
    recordType: "Article", feed: "feedRecordName", feedIsReference: false, published: "publishedDate",
    fetched: "fetchedAt", expires: "expiresAt", absent: ["enclosureURL", "imageURL", "language", "tags"],
    lifetime: .seconds(30 * 86_400), isShared: true)

  /// The articles of the feeds of a profile.
  public static func profile(of feeds: FeedRecordMapping) -> ArticleRecordMapping {
    feeds.stateType == nil ? .celestraCloud : .celestra
  }

  /// The mapping with the field names that the container's schema has, which costs one request: an older schema has no
  /// enclosures, and that of celestra-cloud of May 2026 has other names. Throws the errors of a query.
  package func matching(_ container: any Container) async throws -> ArticleRecordMapping {
    guard isShared else { return try await matchingEnclosures(container) }
    guard
      try await container.hasField(
        "publishedTimestamp", of: recordType, sample: .timestamp(Timestamp(milliseconds: 0)))
    else { return self }
    var mapping = self
    mapping.published = "publishedTimestamp"
    mapping.fetched = "fetchedTimestamp"
    mapping.expires = "expiresTimestamp"
    mapping.absent = ["enclosureURL"]
    return mapping
  }

  private func matchingEnclosures(_ container: any Container) async throws -> ArticleRecordMapping {
    var mapping = self
    if !(try await container.hasField("enclosureURL", of: recordType, sample: .string(""))) {
      mapping.absent.insert("enclosureURL")
    }
    return mapping
  }

  /// The value of ``feed`` for a feed.
  func feedValue(_ recordName: String) -> FieldValue {
    feedIsReference ? .reference(Reference(recordName)) : .string(recordName)
  }

  /// The record name of an article's feed.
  func feedName(of article: Record) -> String? {
    article[feed]?.reference?.recordName ?? article[feed]?.string
  }
}
