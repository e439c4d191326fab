internal import CloudKitModel
internal import Diagnostics
internal import FeedParsing

/// Measurements of a feed document.
struct FeedContent: Sendable, Hashable {
  var itemCount: Int
  var validity: Double
  var completeness: Double
  /// `nil` without items.
  var fullContent: Double?
  var idHygiene: Double?
  var rhythm: PublishingRhythm
  /// True if items have dates, but all of them are too far in the future to count.
  var hasOnlyFutureDates: Bool
  var ttl: Duration?
  var skipHours: Set<Int>
  var skipDays: Set<Int>

  /// Content of at least this many UTF-8 bytes is an article rather than a teaser.
  static let articleLength = 500

  init(_ feed: ParsedFeed, at now: Timestamp) {
    itemCount = feed.items.count
    let mismatch = feed.diagnostics.contains { $0.code == FeedRule.encodingMismatch.code }
    validity = StoredFeedValidity(isWellFormed: feed.wellFormed, hasEncodingMismatch: mismatch).score
    completeness = Self.completeness(feed)
    fullContent = feed.items.share { $0.contentLength >= Self.articleLength }
    idHygiene = Self.idHygiene(feed)
    let dates = feed.items.compactMap { $0.published ?? $0.updated }
    rhythm = PublishingRhythm(dates: dates, now: now)
    hasOnlyFutureDates = rhythm.newest == nil && dates.contains { $0.milliseconds > now.milliseconds }
    ttl = feed.ttl
    skipHours = feed.skipHours
    skipDays = feed.skipDays
  }

  /// The mean of nine parts in 0...1: the presence of five feed elements, and the shares of items that have each of
  /// four item elements. A feed without items scores 0 for the latter.
  private static func completeness(_ feed: ParsedFeed) -> Double {
    let parts = [feed.title, feed.siteURL, feed.description, feed.language, feed.imageURL]
    let items = feed.items
    let shares = [
      items.share { $0.idIsDeclared }, items.share(\.hasURL),
      items.share { $0.published != nil || $0.updated != nil }, items.share(\.hasTitle),
    ]
    return (Double(parts.count { $0 != nil }) + shares.reduce(0) { $0 + ($1 ?? 0) }) / 9
  }

  /// Distinct ids divided by items. The link identifies an item without a declared id, because formats before RSS 2.0
  /// have no ids. An item with neither has no identity.
  private static func idHygiene(_ feed: ParsedFeed) -> Double? {
    guard !feed.items.isEmpty else { return nil }
    let identified = feed.items.lazy.filter { $0.idIsDeclared || $0.hasURL }
    let areDistinct = !feed.diagnostics.contains { $0.code == FeedRule.duplicateID.code }
    let ids = areDistinct ? identified.count : Set(identified.map(\.id)).count
    return Double(ids) / Double(feed.items.count)
  }
}

/// The two facts encoded in the stored `validity`, so that a check answered by 304 can read them back.
struct StoredFeedValidity: Hashable {
  var isWellFormed: Bool
  var hasEncodingMismatch: Bool

  init(isWellFormed: Bool, hasEncodingMismatch: Bool) {
    self.isWellFormed = isWellFormed
    self.hasEncodingMismatch = hasEncodingMismatch
  }

  init(score: Double) {
    isWellFormed = score > 0.65
    hasEncodingMismatch = score < (isWellFormed ? 0.9 : 0.4)
  }

  /// 1 or 0.8 well-formed, 0.5 or 0.3 read with repairs.
  var score: Double {
    switch (isWellFormed, hasEncodingMismatch) {
    case (true, false): 1
    case (true, true): 0.8
    case (false, false): 0.5
    case (false, true): 0.3
    }
  }
}

extension Collection {
  /// `nil` for an empty collection.
  fileprivate func share(_ matches: (Element) -> Bool) -> Double? {
    isEmpty ? nil : Double(count(where: matches)) / Double(count)
  }
}
