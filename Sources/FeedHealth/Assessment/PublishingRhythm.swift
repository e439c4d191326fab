internal import CloudKitModel
internal import FeedFetching
internal import FeedParsing
internal import FeedState

/// The publishing frequency of a feed, computed from the dates of its items.
///
/// Dates at or before 1970 and dates more than two days ahead count as missing; those less far ahead count as now.
struct PublishingRhythm: Sendable, Hashable {
  /// `nil` without a dated item.
  var newest: Timestamp?
  /// The median gap between neighboring distinct dates; `nil` with fewer than two.
  var medianGap: Duration?
  /// Standard deviation of the gaps / their mean; `nil` with fewer than ``datesForVariation`` distinct dates.
  var gapVariation: Double?
  /// `nil` with fewer than two distinct dates.
  var articlesPerWeek: Double?

  static let datesForVariation = 5
  /// How far ahead a date may be because of wrong clocks and zones.
  static let maxLead = Duration.seconds(2 * 86_400)
  /// The period that `averageArticlesPerWeek` covers.
  static let window = Duration.seconds(28 * 86_400)

  init(dates: [FeedDate], now: Timestamp) {
    let latest = (now + Self.maxLead).milliseconds
    let moments = dates.filter { $0.milliseconds > 0 && $0.milliseconds <= latest }
      .map { min($0.milliseconds, now.milliseconds) }.sorted()
    guard let newest = moments.last else { return }
    self.newest = Timestamp(milliseconds: newest)
    articlesPerWeek = Self.perWeek(moments, newest: newest, now: now.milliseconds)
    let distinct = moments.reduce(into: [Int64]()) { if $0.last != $1 { $0.append($1) } }
    let gaps = zip(distinct.dropFirst(), distinct).map { Double($0 - $1) / 1000 }
    medianGap = Self.median(gaps).map { .seconds($0) }
    if distinct.count >= Self.datesForVariation { gapVariation = Self.variation(gaps) }
  }

  /// Counts the dates of the last ``window``. When these are of one moment, it counts the dates before them too, back to
  /// the nearest other one.
  private static func perWeek(_ moments: [Int64], newest: Int64, now: Int64) -> Double? {
    guard let other = moments.last(where: { $0 < newest }) else { return nil }
    let start = min(now - window.components.seconds * 1000, other)
    return ItemRate.perDay(of: moments.filter { $0 >= start }, now: now).map { $0 * 7 }
  }

  /// The items a week of a document that has not changed, once the last ``window`` has none of them: as a whole document
  /// would give it whose last two items are the median gap apart; `nil` without a gap.
  static func perWeek(silentSince newest: Timestamp, medianGap: Duration?, now: Timestamp) -> Double? {
    guard let gap = medianGap else { return nil }
    let last = newest.milliseconds
    return ItemRate.perDay(of: [last - gap.components.seconds * 1000, last], now: now.milliseconds).map {
      $0 * 7
    }
  }

  private static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  private static func variation(_ gaps: [Double]) -> Double {
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    return variance.squareRoot() / mean
  }
}
