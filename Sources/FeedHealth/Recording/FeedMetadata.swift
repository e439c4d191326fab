public import Catalog
public import CloudKitModel

/// The recorded health of one feed: the FeedMetadata record in Swift types.
///
/// ``FeedMetadataFields`` defines what each field means and how it is stored.
public struct FeedMetadata: Sendable, Hashable {
  public var feedRecordName: String
  /// `nil` when there is no record yet.
  public var changeTag: String?
  public var feedReference: Reference?
  public var status = HealthStatus.unknown
  public var statusSince: Timestamp?
  public var lastHealthCheck: Timestamp?
  public var nextCheck: Timestamp?
  public var totalAttempts: Int64 = 0
  public var successfulAttempts: Int64 = 0
  public var failureCount: Int64 = 0
  public var history = DailyCheckHistory()
  public var uptimePercentage: Double?
  public var lastFetchSuccess: Timestamp?
  public var lastFetchFailure: Timestamp?
  public var lastFailureReason: String?
  public var checkedURL: String?
  public var etag: String?
  public var lastModified: String?
  public var redirectURL: String?
  public var redirectCount: Int64 = 0
  public var newestItem: Timestamp?
  public var medianItemGap: Duration?
  public var itemGapVariation: Double?
  public var averageArticlesPerWeek: Double?
  public var validity: Double?
  public var completeness: Double?
  public var fullContent: Double?
  public var transportQuality: Double?
  public var idHygiene: Double?

  /// A feed that was never checked.
  public init(feed recordName: String) { feedRecordName = recordName }
}
