internal import CloudKitModel
internal import Diagnostics
internal import FeedFetching
internal import FeedParsing

struct FeedContent: Sendable, Hashable {
  var itemCount: Int
  var validity: Double
  var completeness: Double
  /// `nil` without items.
  var fullContent: Double?
  var idHygiene: Double?
  var rhythm: PublishingRhythm
  /// True if items have dates, but all of them are too far in the future to count, and they are not a calendar's.
  var hasOnlyFutureDates: Bool

  /// Content of at least this many UTF-8 bytes is an article rather than a teaser.
  static let articleLength = 500

  init(_ feed: ParsedFeed, at now: Timestamp) {
    itemCount = feed.items.count
    let mismatch = feed.diagnostics.contains { $0.code == FeedRule.encodingMismatch.code }
    validity = StoredFeedValidity(isWellFormed: feed.wellFormed, hasEncodingMismatch: mismatch).score
    let items = ItemTally(feed.items)
    completeness = Self.completeness(feed, items)
    fullContent = items.share(items.articles)
    idHygiene = items.share(Self.distinctIDs(feed, items))
    rhythm = PublishingRhythm(dates: items.dates, now: now)
    let future = items.dates.filter { $0.milliseconds > now.milliseconds }
    hasOnlyFutureDates = rhythm.newest == nil && !future.isEmpty && !Self.isCalendar(future, now)
  }

  /// The mean of nine parts in 0...1: the presence of five feed elements, and the shares of items that have each of
  /// four item elements. A feed without items scores 0 for the latter.
  private static func completeness(_ feed: ParsedFeed, _ items: ItemTally) -> Double {
    let parts = [feed.title, feed.siteURL, feed.description, feed.language, feed.imageURL]
    let shares = [items.declaredIDs, items.links, items.dates.count, items.titles].map {
      items.share($0) ?? 0
    }
    return (Double(parts.count { $0 != nil }) + shares.reduce(0, +)) / 9
  }

  /// Different days within two years: the dates of events, and not of a wrong clock.
  private static func isCalendar(_ dates: [FeedDate], _ now: Timestamp) -> Bool {
    let latest = (now + maxCalendarLead).milliseconds
    return dates.allSatisfy { $0.milliseconds <= latest }
      && Set(dates.map { Timestamp(milliseconds: $0.milliseconds).day }).count > 1
  }

  private static let maxCalendarLead = Duration.seconds(2 * 365 * 86_400)

  /// The link identifies an item without a declared id, because formats before RSS 2.0 have no ids. An item with neither
  /// has no identity.
  private static func distinctIDs(_ feed: ParsedFeed, _ items: ItemTally) -> Int {
    guard feed.diagnostics.contains(where: { $0.code == FeedRule.duplicateID.code }) else {
      return items.identified
    }
    return Set(feed.items.lazy.filter { $0.idIsDeclared || $0.hasURL }.map(\.id)).count
  }
}

private struct ItemTally {
  let count: Int
  private(set) var declaredIDs = 0
  private(set) var links = 0
  /// Items with an id or a link.
  private(set) var identified = 0
  private(set) var titles = 0
  private(set) var articles = 0
  /// Of each item that has one.
  private(set) var dates: [FeedDate] = []

  init(_ items: FeedItems) {
    count = items.count
    dates.reserveCapacity(count)
    for item in items {
      if item.idIsDeclared { declaredIDs += 1 }
      if item.hasURL { links += 1 }
      if item.idIsDeclared || item.hasURL { identified += 1 }
      if item.hasTitle { titles += 1 }
      if item.contentLength >= FeedContent.articleLength { articles += 1 }
      if let date = item.published ?? item.updated { dates.append(date) }
    }
  }

  /// `nil` without items.
  func share(_ part: Int) -> Double? { count == 0 ? nil : Double(part) / Double(count) }
}

/// The two facts encoded in the stored `validity`, so that a check answered by 304 can read them back.
struct StoredFeedValidity {
  var isWellFormed: Bool
  var hasEncodingMismatch: Bool

  /// 1 or 0.8 well-formed, 0.5 or 0.3 read with repairs.
  var score: Double { isWellFormed ? (hasEncodingMismatch ? 0.8 : 1) : (hasEncodingMismatch ? 0.3 : 0.5) }
}

extension StoredFeedValidity {
  init(score: Double) {
    let isWellFormed = score > 0.65
    self.init(isWellFormed: isWellFormed, hasEncodingMismatch: score < (isWellFormed ? 0.9 : 0.4))
  }
}
