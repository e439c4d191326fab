/// The number of successful and failed checks of one UTC day. FeedMetadata stores an INT64 for each of the last 30
/// days with checks, so that any machine can compute the exact 30-day uptime
/// (Documentation/reference/feeds.md#uptime).
package struct DailyCheckCounts: Sendable, Hashable {
  /// Days since 1970-01-01.
  package var day: Int64
  /// 0...65,535.
  package var successes: Int64
  /// 0...65,535.
  package var failures: Int64

  package init(day: Int64, successes: Int64 = 0, failures: Int64 = 0) {
    self.day = day
    self.successes = successes
    self.failures = failures
  }

  /// The day in the upper 32 bits, then 16 bits each for successes and failures.
  package init(packed: Int64) {
    self.init(day: packed >> 32, successes: packed >> 16 & 0xFFFF, failures: packed & 0xFFFF)
  }

  package var packed: Int64 { day << 32 | min(successes, 0xFFFF) << 16 | min(failures, 0xFFFF) }
}

/// The daily check counts of the last 30 days, oldest first, at most one a day.
package struct DailyCheckHistory: Sendable, Hashable {
  /// Days the window spans, today included.
  package static let window: Int64 = 30

  package private(set) var days: [DailyCheckCounts]

  /// Also accepts unsorted and repeated days, which another program may have written.
  package init(_ days: [DailyCheckCounts] = []) {
    var byDay: [Int64: DailyCheckCounts] = [:]
    for day in days {
      byDay[day.day, default: DailyCheckCounts(day: day.day)].successes += day.successes
      byDay[day.day, default: DailyCheckCounts(day: day.day)].failures += day.failures
    }
    self.days = byDay.values.sorted { $0.day < $1.day }
  }

  /// Adds a check and removes days that are no longer kept.
  ///
  /// - Parameter kept: the number of days to keep, today included; counts and uptime still cover ``window``.
  package mutating func add(success: Bool, on day: Int64, keeping kept: Int64 = Self.window) {
    var today = days.first { $0.day == day } ?? DailyCheckCounts(day: day)
    if success { today.successes += 1 } else { today.failures += 1 }
    days.removeAll { $0.day == day || $0.day <= day - kept }
    days.append(today)
    days.sort { $0.day < $1.day }
  }

  /// The number of checks in the window that ends with `day`.
  package func totals(until day: Int64) -> (successes: Int64, checks: Int64) {
    let inWindow = days.filter { $0.day > day - Self.window && $0.day <= day }
    let successes = inWindow.reduce(0) { $0 + $1.successes }
    return (successes, inWindow.reduce(successes) { $0 + $1.failures })
  }

  /// The uptime in percent, 0...100; `nil` without checks in the window. For a feed younger than 30 days, it covers
  /// the days so far.
  package func uptimePercentage(until day: Int64) -> Double? {
    let totals = totals(until: day)
    return totals.checks > 0 ? 100 * Double(totals.successes) / Double(totals.checks) : nil
  }
}
