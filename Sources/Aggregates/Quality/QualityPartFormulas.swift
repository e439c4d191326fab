internal import Catalog
package import FeedState
internal import Platform

/// The parts of a quality score: pure functions with values in 0...1. 0.5 means "unknown".
package enum QualityPartFormulas {
  /// The value of a part that was never measured.
  package static let unknown = 0.5
  /// Subscribers at which popularity is 1: three times the logarithm of this is 10
  /// (Documentation/reference/feeds.md#celestra-profile).
  static let fullPopularity = 2154.0

  /// The chance that two checks in a row succeed: the square of the success rate with one success and one failure
  /// added, because few checks prove little. It grows when a failure becomes a success.
  ///
  /// - Parameters:
  ///   - successes: 0...total, not necessarily whole, because old checks have less weight.
  ///   - total: not negative.
  package static func twoInARow(successes: Double, total: Double) -> Double {
    let rate = (min(max(0, successes), total) + 1) / (max(0, total) + 2)
    return rate * rate
  }

  /// Reliability over the recorded days, where a day's weight halves every 30 days; over the totals without such days.
  ///
  /// - Parameter today: days since 1970. A recorded day in the future counts as today.
  package static func reliability(_ state: FeedMetadata, today: Int64) -> Double {
    guard state.history.days.contains(where: { $0.successes + $0.failures > 0 }) else {
      return twoInARow(successes: Double(state.successfulAttempts), total: Double(state.totalAttempts))
    }
    var successes = 0.0
    var total = 0.0
    for day in state.history.days {
      let weight = pow(0.5, Double(max(0, today - day.day)) / 30)
      successes += weight * Double(day.successes)
      total += weight * Double(day.successes + day.failures)
    }
    return twoInARow(successes: successes, total: total)
  }

  /// The share of checks that succeeded; 0 before the first.
  package static func successRate(successes: Int64, attempts: Int64) -> Double {
    clamp(Double(successes) / Double(max(1, attempts)))
  }

  /// 1 until the newest item is two median gaps old, then falling evenly to 0 at 180 days or ten gaps, whichever is
  /// later. A date in the future counts as now, one at or before 1970 as missing. It never grows with age.
  ///
  /// - Parameters:
  ///   - newest, now: milliseconds since 1970.
  ///   - medianGap: seconds; a week when unknown.
  package static func freshness(newest: Int64?, now: Int64, medianGap: Double?) -> Double {
    guard let newest, newest > 0 else { return unknown }
    let gap = max(0, medianGap ?? 7 * 86_400)
    let age = Double(max(0, now - newest)) / 1000
    let fresh = 2 * gap
    let stale = max(180 * 86_400, 10 * gap)
    return clamp((stale - age) / (stale - fresh))
  }

  /// 1 / (1 + variation): regular gaps score high. Unknown without a variation: a health check records none for fewer
  /// than five dates.
  package static func cadence(variation: Double?) -> Double {
    guard let variation, variation.isFinite else { return unknown }
    return 1 / (1 + max(0, variation))
  }

  /// log(1 + subscribers) / log(1 + 2154), at most 1.
  package static func popularity(subscribers: Int64) -> Double {
    clamp(log10(1 + Double(max(0, subscribers))) / log10(1 + fullPopularity))
  }

  /// 3 log(subscribers) / 10, at most 1.
  package static func celestraPopularity(subscribers: Int64) -> Double {
    clamp(3 * log10(Double(max(1, subscribers))) / 10)
  }

  /// A measured share, limited to 0...1.
  package static func share(_ value: Double?) -> Double {
    guard let value, value.isFinite else { return unknown }
    return clamp(value)
  }

  static func clamp(_ value: Double) -> Double { min(1, max(0, value)) }
}
