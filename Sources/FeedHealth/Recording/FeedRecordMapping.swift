internal import Catalog
internal import CloudKitModel

/// The record type and field names of a container's feeds (Documentation/reference/feeds.md#record-types).
public struct FeedRecordMapping: Sendable, Hashable {
  /// How a feed's category is stored.
  public enum CategoryField: Sendable, Hashable {
    /// A reference to a record with a `slug`.
    case reference
    /// The category's own word.
    case text
  }

  public var recordType: String
  public var feedURL: String
  public var title: String
  public var category: String
  public var categoryField: CategoryField
  public var subscriberCount: String
  /// The type of the record beside each feed that keeps the state of its checks; `nil` when the feed's own record does.
  public var stateType: String?
  /// The field for each fact of ``FeedMetadataFields`` that is kept; `nil` when all are, under their own names.
  public var stateFields: [String: String]?
  /// Those of these fields that hold a DOUBLE where the fact is a whole number.
  public var doubleFields: Set<String> = []
  /// The field for retired feeds, which are neither checked nor shown; `nil` without such a field.
  public var isRetired: String?
  /// The moment of the last successful check, which moves once a day; `nil` when it is not kept.
  public var lastVerified: String?
  /// The usual hours between items; `nil` when they are not kept.
  public var updateFrequency: String?

  /// PublicFeed and FeedMetadata of the Celestra catalog.
  public static let celestra = FeedRecordMapping(
    recordType: CatalogRecordType.publicFeed, feedURL: "feedURL", title: "title", category: "category",
    categoryField: .reference, subscriberCount: "subscriberCount", stateType: CatalogRecordType.feedMetadata,
    stateFields: nil, isRetired: "isRetired", lastVerified: "lastVerified", updateFrequency: "updateFrequency"
  )

  /// Feed of celestra-cloud (schema/celestra-feed.ckdb), which keeps the state of its checks in its own fields.
  public static let celestraCloud = FeedRecordMapping(
    recordType: "Feed", feedURL: "feedURL", title: "title", category: "category", categoryField: .text,
    subscriberCount: "subscriberCount", stateType: nil,
    stateFields: [
      "lastHealthCheck": "lastAttempted", "failureCount": "failureCount",
      "lastFailureReason": "lastFailureReason",
      "etag": "etag", "lastModified": "lastModified", "totalAttempts": "totalAttempts",
      "successfulAttempts": "successfulAttempts", "medianItemGap": "updateFrequency",
    ],
    doubleFields: ["updateFrequency"],
    lastVerified: nil, updateFrequency: nil)

  /// The ready profiles, by the name that the project file uses.
  public static let profiles: [String: FeedRecordMapping] = [
    "celestra": .celestra, "celestra-cloud": .celestraCloud,
  ]

  /// The fields of a feed that a check reads, its state aside.
  var feedFields: [String] {
    [feedURL, title, isRetired, lastVerified, updateFrequency].compactMap(\.self)
      + (stateType == nil ? stateFieldNames : [])
  }

  func isRetired(_ feed: Record) -> Bool { isRetired.flatMap { feed[$0]?.flag } ?? false }

  /// A value as its field stores it.
  func stored(_ value: FieldValue?, in field: String) -> FieldValue? {
    guard doubleFields.contains(field), let number = value?.int64 else { return value }
    return .double(Double(number))
  }

  /// The stored names of the fields that keep the state.
  var stateFieldNames: [String] { rows.map(\.field) }

  /// The facts that are kept, each with its stored name.
  var rows: [(row: FeedMetadataFields.Row, field: String)] {
    FeedMetadataFields.rows.compactMap { row in
      guard let stateFields else { return (row, row.name) }
      return stateFields[row.name].map { (row, $0) }
    }
  }
}
