package enum HealthStatus: String, Sendable, Hashable, CaseIterable {
  case healthy, degraded, down
  /// Never checked. It is not written to the container; the field stays absent.
  case unknown

  /// A larger number is worse. `unknown` counts as healthy.
  package var severity: Int {
    switch self {
    case .healthy, .unknown: 0
    case .degraded: 1
    case .down: 2
    }
  }
}

/// The limits at which a feed becomes degraded or down. The defaults are those of
/// Documentation/reference/feeds.md#status-rules.
package struct HealthThresholds: Sendable, Hashable {
  /// Failed checks in a row that make a feed down.
  package var failuresUntilDown = 3
  /// DNS and TLS failures that last this long make a feed down, however few they are.
  package var hostFailureUntilDown = Duration.seconds(86_400)
  /// A feed that worked this recently is not down when one check finds other content.
  package var recentSuccess = Duration.seconds(7 * 86_400)
  /// Two checks this far apart must find other content before such a feed is down.
  package var contentUntilDown = Duration.seconds(3600)
  /// At or below this share of items with an id of their own, a feed is degraded: a few repeated items of many are
  /// how most feeds with a repeated item look.
  package var idShare = 0.9
  /// At or below this share of successful checks in the last 30 days a feed is degraded. The plain share decides, not
  /// the lower end of its Wilson interval, which is below 0.8 for every feed with fewer than 16 checks.
  package var successRate = 0.8
  /// With fewer checks than this in the last 30 days the share is not used.
  package var checksForRate = 5
  /// A feed is down when it was refused this long ago and fewer than ``refusedShare`` of its checks since succeeded.
  package var refusedUntilDown = Duration.seconds(30 * 86_400)
  package var refusedShare = 0.05
  /// No new item for this long, or for ``staleGaps`` times the feed's usual gap if that is longer.
  package var staleAge = Duration.seconds(30 * 86_400)
  package var staleGaps = 5
  package var slowAnswer = Duration.seconds(10)
  /// Checks in a row that must see the same permanent redirect before its target is suggested.
  package var redirectSightings = 3
  /// The share of suspect hosts, in 0...1, from which on our own network is the cause.
  package var outageShare = 0.9
  /// The least number of suspect hosts for that; with fewer hosts, none of them may be reached.
  package var outageHosts = 5
  /// How many hosts are judged together. A run with fewer hosts is judged as a whole.
  package var outageSample = 100

  package init() {}

  /// The limits that a degraded feed must meet to become healthy. They are stricter, so that a measure close to a
  /// threshold does not change the status with every check.
  package func tightened() -> HealthThresholds {
    var stricter = self
    stricter.slowAnswer = slowAnswer * 4 / 5
    stricter.successRate = min(1, successRate + 0.02)
    return stricter
  }
}

package enum ItemRate {
  /// How many of these moments there are in a day: the gaps over the time between the first and the last. After a silence
  /// longer than each gap it is the moments over the time since the first
  /// (Documentation/reference/feeds.md#dates-of-items).
  ///
  /// - Parameters:
  ///   - moments: in milliseconds, ascending.
  ///   - now: not before the last of them.
  /// - Returns: `nil` for fewer than two, and when all are the same.
  package static func perDay(of moments: [Int64], now: Int64) -> Double? {
    guard let first = moments.first, let last = moments.last, first < last else { return nil }
    let longest = zip(moments.dropFirst(), moments).map { $0 - $1 }.max() ?? 0
    let isSilent = now - last > longest
    let (count, end) = isSilent ? (moments.count, now) : (moments.count - 1, last)
    return Double(count) * 86_400_000 / Double(end - first)
  }
}
