/// What one feed document says, whatever dialect it is written in.
///
/// Text is kept as the feed declares it: entities are resolved, markup inside a title or a summary stays, and
/// white space around a value is removed. An absent or empty value is `nil`; nothing is ever invented.
public struct ParsedFeed: Sendable, Equatable {
  public var format: FeedFormat = .unknown
  /// True when the document was read in the first, strict pass without a fatal error, in its declared encoding.
  public var wellFormed = false
  /// True when the document is ill-formed and a feed could be read from it nevertheless.
  public var recovered = false
  /// The encoding the text was read in, in lower case ("utf-8", "windows-1252").
  public var encoding = "utf-8"
  /// The encoding named by the HTTP header or the XML declaration, in lower case.
  public var declaredEncoding: String?
  public var title: String?
  /// The web page the feed belongs to, absolute when a base is known.
  public var siteURL: String?
  /// The address the feed gives for itself (Atom `self` link, JSON Feed `feed_url`).
  public var feedURL: String?
  public var description: String?
  /// A language tag as declared ("en", "pt-BR").
  public var language: String?
  public var imageURL: String?
  /// How long a copy may be kept: RSS `ttl`, else the period of the syndication module.
  public var ttl: Duration?
  /// Hours of the day (0...23, UTC) in which the publisher asks not to be read.
  public var skipHours: Set<Int> = []
  /// Days of the week (1 = Monday ... 7 = Sunday, UTC) on which the publisher asks not to be read.
  public var skipDays: Set<Int> = []
  public var updated: FeedDate?
  /// In document order, at most ``FeedLimits/items``.
  public var items: [FeedItem] = []
  public var diagnostics: [FeedFinding] = []

  public init() {}
}
