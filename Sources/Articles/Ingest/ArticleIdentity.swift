internal import Cryptography
internal import FeedParsing

/// The rules by which an item keeps its article (Documentation/reference/articles.md#identity).
package enum ArticleIdentity {
  /// SHA-256 of title, address and text, each but the last followed by a line feed; `""` for an absent one. Dates are no
  /// part of it, because many feeds change them with each fetch.
  package static func contentHash(title: String?, url: String?, text: String) -> String {
    SHA256.hex("\(title ?? "")\n\(url ?? "")\n\(text)")
  }

  /// The form of celestra-cloud, which compares it with its own.
  static func sharedContentHash(title: String, url: String, guid: String) -> String {
    "\(title)|\(url)|\(guid)"
  }

  /// Bytes of the longest id that is used as declared.
  static let maxID = 4096

  /// The guid of an item where celestra-cloud writes too: its declared id, else its link as it is, else a digest of its title
  /// and date; `nil` if it has neither.
  static func sharedGUID(of item: FeedItem) -> String? {
    if item.idIsDeclared, case let id = item.id, !id.isEmpty, id.utf8.count <= maxID { return id }
    if let url = item.url, url.utf8.count <= maxID { return url }
    guard let title = item.titleText, let date = item.published ?? item.updated else {
      return nil
    }
    return "sha256:" + SHA256.hex("\(title)\n\(date.milliseconds)")
  }

  /// The first 64 bits of a record name, by which items without a usable date are remembered.
  static func digest(of recordName: String) -> Int64 {
    Int64(bitPattern: UInt64(recordName.prefix(16), radix: 16) ?? 0)
  }
}
