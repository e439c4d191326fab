internal import Catalog
internal import FeedHealth

/// The checks of all feeds together, day by day.
struct DailyChecks: Sendable, Hashable {
  /// Of the whole window, in tenths of a percent, rounded down; `nil` without a check.
  private(set) var share: Int64?
  /// The same for each day that had checks, oldest first.
  private(set) var shares: [Int64]

  /// - Parameter today: days since 1970.
  init(_ feeds: [ReportedFeed], today: Int64) {
    var days: [Int64: (successes: Int64, checks: Int64)] = [:]
    for day in feeds.lazy.flatMap(\.entry.metadata.history.days)
    where day.day <= today && day.day > today - DailyCheckHistory.window {
      days[day.day, default: (0, 0)].successes += day.successes
      days[day.day, default: (0, 0)].checks += day.successes + day.failures
    }
    let inOrder = days.sorted { $0.key < $1.key }.map(\.value).filter { $0.checks > 0 }
    shares = inOrder.map { $0.successes * 1000 / $0.checks }
    let all = inOrder.reduce((0, 0)) { ($0.0 + $1.successes, $0.1 + $1.checks) }
    share = all.1 > 0 ? all.0 * 1000 / all.1 : nil
  }
}
