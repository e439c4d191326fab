public import Catalog
public import CloudKitModel

/// What is known of a feed when it is scored. An absent value is unknown, not bad.
public struct QualityInputs: Sendable, Hashable {
  /// Checks ever made and how many succeeded.
  public var attempts: Int64 = 0
  public var successes: Int64 = 0
  /// The last 30 days of checks; empty when only the totals are known.
  public var days: [CheckDay] = []
  public var subscribers: Int64 = 0
  public var isVerified = false
  /// 0...1 each, as the health check measured them (feeds.md section 3.2).
  public var validity: Double?
  public var completeness: Double?
  public var fullContent: Double?
  public var transport: Double?
  public var idHygiene: Double?
  /// Between items, in seconds.
  public var medianGap: Double?
  /// Standard deviation of the gaps divided by their mean.
  public var gapVariation: Double?
  /// Of the newest item.
  public var newestItem: Timestamp?

  public init() {}

  /// From a feed record and the record that holds its health, which may be the same. Negative or impossible
  /// counts are taken as far as they make sense.
  public init(feed: Record, metadata: Record?) {
    subscribers = max(0, feed["subscriberCount"]?.int64 ?? 0)
    isVerified = feed["isVerified"]?.flag ?? false
    guard let metadata else { return }
    attempts = max(0, metadata["totalAttempts"]?.int64 ?? 0)
    successes = min(attempts, max(0, metadata["successfulAttempts"]?.int64 ?? 0))
    days = (metadata["dailyChecks"]?.elements ?? []).compactMap { $0.int64.map(CheckDay.init(packed:)) }
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
    "totalAttempts", "successfulAttempts", "dailyChecks", "validity", "completeness", "fullContent",
    "transportQuality", "idHygiene", "medianItemGap", "itemGapVariation", "newestItem",
  ]
}
