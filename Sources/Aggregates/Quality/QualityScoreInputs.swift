public import Catalog
public import CloudKitModel

/// The facts about a feed from which its score is computed. An absent value is unknown, not bad.
public struct QualityScoreInputs: Sendable, Hashable {
  /// All checks so far, and how many of them succeeded.
  public var attempts: Int64 = 0
  public var successes: Int64 = 0
  /// The last 30 days of checks; empty when only the totals are known.
  public var days: [DailyCheckCounts] = []
  public var subscribers: Int64 = 0
  public var isVerified = false
  /// The feed's last checks found it down.
  public var isDown = false
  /// Measured by health checks, 0...1 each.
  public var validity: Double?
  public var completeness: Double?
  public var fullContent: Double?
  public var transport: Double?
  public var idHygiene: Double?
  /// Median time between items, in seconds.
  public var medianGap: Double?
  /// Standard deviation of the gaps divided by their mean.
  public var gapVariation: Double?
  /// Date of the newest item.
  public var newestItem: Timestamp?

  public init() {}

  /// Reads a feed record and its health record, which may be the same. Counts are limited to values that are possible.
  public init(feed: Record, metadata: Record?) {
    subscribers = max(0, feed["subscriberCount"]?.int64 ?? 0)
    isVerified = feed["isVerified"]?.flag ?? false
    guard let metadata else { return }
    isDown = metadata["healthStatus"]?.string == "down"
    attempts = max(0, metadata["totalAttempts"]?.int64 ?? 0)
    successes = min(attempts, max(0, metadata["successfulAttempts"]?.int64 ?? 0))
    days = (metadata["dailyChecks"]?.elements ?? []).compactMap {
      $0.int64.map(DailyCheckCounts.init(packed:))
    }
    validity = metadata["validity"]?.number
    completeness = metadata["completeness"]?.number
    fullContent = metadata["fullContent"]?.number
    transport = metadata["transportQuality"]?.number
    idHygiene = metadata["idHygiene"]?.number
    medianGap = metadata["medianItemGap"]?.number
    gapVariation = metadata["itemGapVariation"]?.number
    newestItem = metadata["newestItem"]?.timestamp
  }

  static let metadataFields = [
    "healthStatus",
    "totalAttempts", "successfulAttempts", "dailyChecks", "validity", "completeness", "fullContent",
    "transportQuality", "idHygiene", "medianItemGap", "itemGapVariation", "newestItem",
  ]
}
