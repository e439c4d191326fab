internal import Articles
internal import CloudKitModel
internal import Diagnostics
internal import FeedState
internal import Platform

/// The articles that runs over all feeds wrote, by hour, for as long as the last day needs them.
struct HourlyArticleCounts: Sendable, Hashable {
  private static let hoursOfDay: Int64 = 24
  /// By hours since 1970.
  private var counts: [Int64: Int64] = [:]

  init() {}

  /// `nil` for another kind of value.
  init?(_ json: JSONValue?) {
    guard let object = json?.object else { return nil }
    for (hour, count) in object.members {
      if let hour = Int64(hour), let count = count.integer, count > 0 { counts[hour] = count }
    }
  }

  var json: JSONValue {
    .object(JSONObject(counts.sorted { $0.key < $1.key }.map { (String($0.key), .integer($0.value)) }))
  }

  /// Adds what a run wrote, and forgets what is older than a day.
  mutating func add(_ written: Int, at now: Timestamp) {
    counts = counts.filter { Self.isRecent($0.key, at: now) }
    if written > 0 { counts[Self.hour(now)] = (counts[Self.hour(now)] ?? 0).addingClamped(Int64(written)) }
  }

  /// The sum of this hour and the 23 before it.
  func lastDay(at now: Timestamp) -> Int64 {
    counts.filter { Self.isRecent($0.key, at: now) }.values.reduce(0) { $0.addingClamped($1) }
  }

  private static func isRecent(_ hour: Int64, at now: Timestamp) -> Bool {
    hour > Self.hour(now) - hoursOfDay && hour <= Self.hour(now)
  }

  private static func hour(_ time: Timestamp) -> Int64 { time.milliseconds / 3_600_000 }
}

extension HealthRunResult {
  /// Adds the articles of this run, which ended now, to those of the runs before.
  mutating func addArticles(to former: HourlyArticleCounts?, at now: Timestamp) {
    guard former != nil || articles != nil else { return }
    var counts = former ?? HourlyArticleCounts()
    counts.add(articles?.written ?? 0, at: now)
    articlesByHour = counts
    articlesInDay = counts.lastDay(at: now)
  }
}
