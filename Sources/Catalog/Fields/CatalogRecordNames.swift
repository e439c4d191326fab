import Cryptography

/// Record names derived from content, so that every machine uses the same name
/// (Documentation/reference/catalog.md#record-names). In CloudKit, only record names are unique.
package enum CatalogRecordNames {
  /// A category's slug is its name.
  package static func category(slug: String) -> String { slug }

  /// Only for a feed that declares no `recordName` and whose URL no record in the container has yet.
  package static func feed(url: String) -> String { UUIDv5.url(WebAddress.spelled(url)) }

  package static func collection(slug: String) -> String { UUIDv5.url("celestra:collection/\(slug)") }

  /// The one FeedMetadata record of a feed.
  package static func metadata(feed recordName: String) -> String {
    UUIDv5.url("celestra:metadata/\(recordName)")
  }

  /// The FeedSubscription of a user to a feed: 64 lowercase hexadecimal digits.
  package static func subscription(feed recordName: String, user userRecordName: String) -> String {
    SHA256.hex("\(recordName)-\(userRecordName)")
  }

  /// The PublicArticle of an item: 64 lowercase hexadecimal digits.
  package static func article(feed recordName: String, guid: String) -> String {
    SHA256.hex("\(recordName)|\(guid)")
  }

  /// Characters, at most (Documentation/reference/web-services.md#record-dictionary: CKRecord.ID).
  package static let maximumLength = 255

  /// Whether CloudKit accepts a record name: 1 to 255 printable ASCII characters, not starting with an underscore,
  /// which is reserved for the system.
  package static func isValid(_ name: String) -> Bool {
    (1...maximumLength).contains(name.utf8.count) && !name.hasPrefix("_")
      && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
