internal import CloudKitModel
import Cryptography

/// Record names derived from content, so that every machine uses the same name
/// (Documentation/reference/catalog.md#record-names). In CloudKit, only record names are unique.
package enum CatalogRecordNames {
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

  /// Why a person does not give this name to a record; `nil` for 1 to 255 printable ASCII characters that do not start with
  /// an underscore, as names of users do (Documentation/reference/catalog.md#record-names).
  package static func problem(of name: String) -> String? {
    let isPrintable = name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    return Record.isName(name) && !name.hasPrefix("_") && isPrintable
      ? nil
      : "'\(name)' is not a record name: 1 to \(ContainerLimits.recordName) printable ASCII characters, not starting with an underscore"
  }

  /// The same for a name in a seed, which has no spaces.
  package static func problem(ofSeed name: String) -> String? {
    problem(of: name)
      ?? (name.contains(" ") ? "'\(name)' is not a record name of a seed: it has a space" : nil)
  }
}
