package import Diagnostics
internal import Platform
internal import XMLReading

/// The content of one feed document, independent of its dialect.
///
/// Texts are as in the document: entities are resolved, markup inside a title or a summary is kept, and white space at
/// the ends of values is removed. An absent or empty value is `nil`.
package struct ParsedFeed: Sendable, Equatable {
  package var format: FeedFormat = .unknown
  /// True when the strict pass parsed the whole document: in its declared encoding, or in UTF-8 that was given another
  /// label.
  package var wellFormed = false
  /// True when the document is ill-formed but a feed could be parsed.
  package var recovered = false
  /// False when the document was not read to the end of its root element, or items were left out: it was cut off, or
  /// exceeds a limit. It then shows what the feed has, but not what the feed does not have. The item that was open at the
  /// end is not among ``items`` (Documentation/reference/feeds.md#documents-without-an-end).
  package internal(set) var isComplete = false
  /// The encoding the document was decoded from, in lower case ("utf-8", "windows-1252").
  package var encoding = "utf-8"
  package var title: String?
  /// The URL of the feed's web page; absolute when a base URL is known.
  package var siteURL: String?
  /// The URL that the feed declares for itself (Atom `self` link, JSON Feed `feed_url`).
  package var feedURL: String?
  package internal(set) var documentURL: String?
  package var description: String?
  /// A language tag as declared ("en", "pt-BR").
  package var language: String?
  package var imageURL: String?
  /// How long a copy may be cached: RSS `ttl`, or else the update period of the syndication module.
  package var ttl: Duration?
  /// Hours of the day (0...23, UTC) in which the publisher asks clients not to fetch.
  package var skipHours: Set<Int> = []
  /// Days of the week (1 = Monday ... 7 = Sunday, UTC) on which the publisher asks clients not to fetch.
  package var skipDays: Set<Int> = []
  /// The address that a podcast says it has moved to (`itunes:new-feed-url`).
  package var newFeedURL: String?
  /// The publisher says that the feed will never change again (JSON Feed `expired`, `itunes:complete`).
  package var isExpired = false
  package var updated: FeedDate?
  /// At most ``FeedLimits/items``.
  package internal(set) var items = FeedItems()
  /// Entries with which a feed bridge reports its own error; they are not among ``items``
  /// (Documentation/reference/feeds.md#errors-of-bridges).
  package internal(set) var bridgeErrors = 0
  /// The program that made the feed, as the document names it.
  package internal(set) var generator: String?
  package var diagnostics: [Diagnostic] = []

  package init() {}
}

/// The dialect of a feed. The raw values appear in output.
package enum FeedFormat: String, Sendable, CaseIterable {
  case rss090 = "rss0.90"
  case rss091 = "rss0.91"
  case rss092 = "rss0.92"
  case rss10 = "rss1.0"
  case rss20 = "rss2.0"
  case atom03 = "atom0.3"
  case atom10 = "atom1.0"
  case jsonFeed10 = "jsonfeed1.0"
  case jsonFeed11 = "jsonfeed1.1"
  case unknown

  var isAtom: Bool { self == .atom03 || self == .atom10 }

  /// The dialect that an `rss` element declares. 0.93 and 0.94 count as 0.92; what this parser reads is the same.
  static func rss(version: String?) -> FeedFormat {
    guard let version else { return .rss20 }
    if version.hasPrefix("0.91") { return .rss091 }
    if version.hasPrefix("0.90") || version == "0.9" { return .rss090 }
    if version.hasPrefix("0.9") { return .rss092 }
    return version.hasPrefix("1.") ? .rss10 : .rss20
  }

  static func atom(version: String?, namespace: String?) -> FeedFormat {
    let address = namespace ?? ""
    if address.contains("2005/Atom") { return .atom10 }
    return version?.hasPrefix("0.") == true || address.contains("purl.org/atom") ? .atom03 : .atom10
  }
}

/// The codes of findings in a feed document. FP01xx: the document. FP02xx: its encoding. FP03xx: its content. FP04xx:
/// limits.
package enum FeedRule: String, RuleCode {
  case illFormed = "FP0101"
  case notAFeed = "FP0102"
  case htmlPage = "FP0103"
  case empty = "FP0104"
  case externalDeclaration = "FP0105"
  case undefinedEntity = "FP0106"
  case undeclaredPrefix = "FP0107"
  case cutDocument = "FP0108"
  case encodingMismatch = "FP0201"
  case unknownEncoding = "FP0202"
  case contentType = "FP0203"
  case unreadableDate = "FP0301"
  case missingID = "FP0302"
  case duplicateID = "FP0303"
  case jsonShape = "FP0304"
  case bridgeError = "FP0305"
  case tooManyBytes = "FP0401"
  case startTagTooLong = "FP0402"
  case tooDeep = "FP0403"
  case tooManyItems = "FP0404"
  case textTruncated = "FP0405"
  case entityExpansion = "FP0406"
  case linkExpansion = "FP0407"

  package static let page = RulePage(.feed, PackageResources.FeedRules_md)
}

/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z as in CloudKit.
package struct FeedDate: Sendable, Hashable, Comparable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.milliseconds < rhs.milliseconds }

  /// Parses a date in any format that feeds use. Returns `nil` for anything else; a date is never guessed.
  package init?(_ text: String) {
    var copy = text
    guard let date = copy.withUTF8({ FeedDate($0.trimmed) }) else { return nil }
    self = date
  }

  /// The same for UTF-8 without white space at its ends.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard (3...100).contains(bytes.count),
      let parsed =
        RFC822Date.parse(bytes)?.date ?? ISO8601Date.parse(bytes)?.date ?? FreeFormDate.parse(bytes)?.date
    else { return nil }
    self = parsed
  }

  /// Programs write the first day of 1970, or of another era before, in place of a date that they do not have.
  var isMissing: Bool { milliseconds < 86_400_000 }

  /// `2026-11-21T05:04:03Z`, in UTC; with milliseconds unless they are 0.
  package var iso8601: String { UTCTime.iso8601(millisecondsSince1970: milliseconds) }
}

/// Limits on one document, so that hostile input costs no more time and memory than its size.
package struct FeedLimits: Sendable, Equatable {
  /// Bytes of the document as received, at most 512 MB.
  package var bytes = 10 << 20
  /// Bytes between the `<` and the `>` of one tag.
  package var startTag = 64 << 10
  package var depth = 200
  /// Items kept; a finding gives the number of the others.
  package var items = 20_000
  /// UTF-8 bytes kept of one text; the rest is dropped with a finding.
  package var text = 1 << 20
  /// Whether to keep the summaries of items, which are most of a feed. Their lengths are known without them.
  package var keepsSummaries = true
  /// Whether to keep what only a stored article needs: contents, categories, images and languages of items. Needs
  /// ``keepsSummaries``.
  package var keepsArticles = false
  /// UTF-8 bytes that resolving links may add to a document; an `xml:base` can make links of any length.
  package var resolvedLinks = 2 << 20
  /// Nested arrays and objects in a JSON Feed.
  package var jsonDepth = 64

  package init() {}

  /// How many bytes of a document to fetch: one more than ``bytes``, so that a larger document is recognized.
  package var wantedBytes: Int { bounded.bytes + 1 }

  /// The maximum size of the UTF-8 text of a document in another encoding. Both are in memory, so a longer document
  /// leaves less room for its text.
  func converted(of count: Int) -> Int { bytes + bytes / 2 - min(max(count, bytes / 2), bytes) }

  /// The limits, lowered so that 32-bit offsets into the texts suffice: UTF-8 can be three times as long as the document.
  var bounded: FeedLimits {
    return copy(of: self) {
      $0.bytes = min(bytes, 512 << 20)
      $0.text = min(text, $0.bytes)
      $0.resolvedLinks = min(resolvedLinks, $0.bytes)
    }
  }
}

/// Collects findings, only the first of each code: ten thousand unreadable dates are one finding.
struct FeedFindingList {
  private(set) var list: [Diagnostic]

  init(_ list: [Diagnostic] = []) { self.list = list }

  mutating func add(_ rule: FeedRule, _ message: @autoclosure () -> String) {
    guard !contains(rule) else { return }
    list.append(Diagnostic(rule, message()))
  }

  mutating func add(_ finding: Diagnostic) {
    guard !list.contains(where: { $0.code == finding.code }) else { return }
    list.append(finding)
  }

  mutating func remove(_ rule: FeedRule) { list.removeAll { $0.code == rule.code } }

  func contains(_ rule: FeedRule) -> Bool { list.contains { $0.code == rule.code } }
}

extension Diagnostic {
  /// The finding about a document that was not read to the end of its root element.
  static func cutDocument(at place: TextPlace) -> Diagnostic {
    Diagnostic(
      FeedRule.cutDocument,
      "the document stops at \(place), before its root element ends; the item that is open there is left out")
  }

  static func encodingMismatch(_ label: EncodingLabel, readAs used: EncodingLabel) -> Diagnostic {
    Diagnostic(FeedRule.encodingMismatch, "the document is not in \(label.name); it was read as \(used.name)")
  }

  static func tooManyBytes(read count: Int) -> Diagnostic {
    Diagnostic(FeedRule.tooManyBytes, "the document is too large: only its first \(count) bytes were read")
  }
}

extension FeedItems {
  /// The bytes of an id. A `Set<String>` would take longer than reading the items.
  private struct IDBytes: Hashable {
    let bytes: UnsafeBufferPointer<UInt8>

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.bytes.equals(rhs.bytes) }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
  }

  var haveDistinctIDs: Bool {
    var seen = Set<IDBytes>(minimumCapacity: count)
    return records.allSatisfy { seen.insert(IDBytes(bytes: storage.bytes($0.id))).inserted }
  }
}
