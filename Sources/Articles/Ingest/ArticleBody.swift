package import CloudKitModel
internal import Cryptography
internal import FeedFetching
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

/// What a check needs to know of a document that it does not parse, because an earlier run read the same bytes. All else
/// that the document says is in the feed's state, as after a 304.
package struct DocumentFacts: Sendable, Hashable {
  package var items: Int
  var parsed: Timestamp

  /// A rate such as items a week changes with time alone, so each document is parsed at least once in this time.
  static let maxAge = Duration.seconds(86_400)

  package init(items: Int, parsed: Timestamp) {
    self.items = items
    self.parsed = parsed
  }

  /// `nil` for text that no run of this version wrote.
  init?(_ text: Substring) {
    let numbers = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { Int64(Substring($0)) }
    guard numbers.count == 2, let items = numbers[0], let seconds = numbers[1],
      (0...1 << 40).contains(seconds)
    else { return nil }
    self.items = Int(clamping: items)
    parsed = Timestamp(milliseconds: seconds * 1000)
  }

  /// `20,1764000000`: items, and when it was parsed.
  var text: String { "\(items),\(parsed.milliseconds / 1000)" }

  func hold(at now: Timestamp) -> Bool {
    let age = now.since(parsed)
    return age >= .zero && age < Self.maxAge
  }
}

extension FeedMetadata {
  /// A digest of what the last document left in the state. Another one since means that a check that stores no articles
  /// has read another document.
  var findingsDigest: String {
    let numbers = [validity, completeness, fullContent, idHygiene, itemGapVariation, averageArticlesPerWeek]
    let times = [newestItem?.milliseconds, medianItemGap?.components.seconds]
    let words =
      numbers.map { $0?.bitPattern ?? .max } + times.map { $0.map(UInt64.init(bitPattern:)) ?? .max }
    let bytes = words.flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) }
    return String(SHA256.hex(bytes + Array((schedule?.text ?? "").utf8)).prefix(16))
  }
}
