import Cryptography
public import RecordChanges

/// The record types of the Celestra schema, by their names in it.
public enum CatalogRecordType {
  public static let feedCategory = "FeedCategory"
  public static let publicFeed = "PublicFeed"
  public static let feedCollection = "FeedCollection"
  public static let feedMetadata = "FeedMetadata"
  public static let feedSubscription = "FeedSubscription"
  public static let publicArticle = "PublicArticle"
  public static let adminLease = "AdminLease"
  public static let users = "Users"

  /// The types whose records come from seeds, in the order they are written
  /// (Documentation/reference/catalog.md#catalog-types).
  public static let seeded = [feedCategory, publicFeed, feedCollection]
}

/// Record names derived from content, so that every machine uses the same name
/// (Documentation/reference/catalog.md#record-names). In CloudKit, only record names are unique.
public enum CatalogRecordNames {
  /// A category's slug is its name.
  public static func category(slug: String) -> String { slug }

  /// Only for a feed that declares no `recordName` and whose URL no record in the container has yet.
  public static func feed(url: String) -> String { UUIDv5.url(WebAddress.normalized(url)) }

  public static func collection(slug: String) -> String { UUIDv5.url("celestra:collection/\(slug)") }

  /// The one FeedMetadata record of a feed.
  public static func metadata(feed recordName: String) -> String {
    UUIDv5.url("celestra:metadata/\(recordName)")
  }

  /// The FeedSubscription of a user to a feed: 64 lowercase hexadecimal digits.
  public static func subscription(feed recordName: String, user userRecordName: String) -> String {
    SHA256.hex("\(recordName)-\(userRecordName)")
  }

  /// Characters, at most (Documentation/reference/web-services.md#record-dictionary: CKRecord.ID).
  public static let maximumLength = 255

  /// Whether CloudKit accepts a record name: 1 to 255 printable ASCII characters, not starting with an underscore,
  /// which is reserved for the system.
  public static func isValid(_ name: String) -> Bool {
    (1...maximumLength).contains(name.utf8.count) && !name.hasPrefix("_")
      && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

extension UndoRules {
  /// The undo rules of the Celestra catalog. A feed that a run created is not deleted if subscriptions or
  /// collections refer to it or an editor changed it. Changes by jobs do not keep it, and its FeedMetadata is
  /// deleted with it.
  public static let catalog = UndoRules(
    referrers: [
      Referrer(
        CatalogRecordType.feedMetadata, "feedReference", .reference, to: [CatalogRecordType.publicFeed],
        isDependent: true),
      Referrer(
        CatalogRecordType.feedSubscription, "feedRecordName", .name,
        to: [CatalogRecordType.publicFeed, CatalogRecordType.feedCollection]),
      Referrer(CatalogRecordType.feedCollection, "feeds", .list, to: [CatalogRecordType.publicFeed]),
      Referrer(
        CatalogRecordType.publicArticle, "feedReference", .reference, to: [CatalogRecordType.publicFeed]),
      Referrer(CatalogRecordType.publicFeed, "category", .reference, to: [CatalogRecordType.feedCategory]),
      Referrer(
        CatalogRecordType.feedCategory, "parentCategory", .reference, to: [CatalogRecordType.feedCategory]),
    ],
    risks: [CatalogRecordType.publicFeed: "subscriber-loss"],
    isOwnedByJob: { field, recordType in
      if case .computed? = FieldOwnership.owner(of: field, in: recordType) { true } else { false }
    })
}
