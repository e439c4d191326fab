package import CloudKitModel
internal import Cryptography
package import FeedState

/// The bytes of a document, before its items are read.
package struct ArticleBody: Sendable {
  let digest: String
  /// What is known of the items, where their articles are stored.
  let coverage: ArticleCoverage?
  /// An earlier run stored the articles of exactly these bytes, so that their content need not be read.
  package var isStored: Bool { coverage != nil }
  /// What that run knew of the document, while it and the feed's state hold: then it need not be parsed.
  package let facts: DocumentFacts?

  /// - Parameters:
  ///   - bytes: as they were sent.
  ///   - source: what else decides how the bytes are read: the address and the declared type.
  package init(
    _ bytes: [UInt8], from source: [String?], of metadata: FeedMetadata, options: ArticleOptions,
    at now: Timestamp
  ) {
    let digest = Self.digest(bytes, from: source)
    self.digest = digest
    coverage = ArticleCoverage(metadata.articlesValidator).flatMap {
      $0.covers(body: digest, options) ? $0 : nil
    }
    facts = coverage?.facts(of: metadata, at: now)
  }

  /// - Parameters: those of ``init(_:from:of:options:at:)``.
  package static func digest(_ bytes: [UInt8], from source: [String?]) -> String {
    let origin = source.map { $0 ?? "" }.joined(separator: "\n")
    return String(SHA256.hex("\(origin)\n\(SHA256.hex(bytes))").prefix(16))
  }
}
