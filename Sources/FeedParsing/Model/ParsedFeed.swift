package import Diagnostics

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
  /// The encoding that the HTTP header or the XML declaration names, in lower case.
  package var declaredEncoding: String?
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
