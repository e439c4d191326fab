internal import CloudKitModel
internal import FeedFetching
internal import FeedParsing

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
  /// `nil` without a dated item.
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
    guard let newest = moments.last, let oldest = moments.first else { return }
    self.newest = Timestamp(milliseconds: newest)
    articlesPerWeek = Self.perWeek(moments, oldest: oldest, now: now.milliseconds)
    let distinct = moments.reduce(into: [Int64]()) { if $0.last != $1 { $0.append($1) } }
    let gaps = zip(distinct.dropFirst(), distinct).map { Double($0 - $1) / 1000 }
    medianGap = Self.median(gaps).map { .seconds($0) }
    if distinct.count >= Self.datesForVariation { gapVariation = Self.variation(gaps) }
  }

  /// A document holds a limited number of items. When they do not reach back over the whole window, the rate is taken
  /// over the time they cover, at least a day.
  private static func perWeek(_ moments: [Int64], oldest: Int64, now: Int64) -> Double {
    let start = max(now - window.components.seconds * 1000, oldest)
    let days = Double(max(now - start, 86_400_000)) / 86_400_000
    return Double(moments.count { $0 >= start }) * 7 / days
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
