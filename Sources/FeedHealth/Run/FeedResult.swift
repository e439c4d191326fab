public import CloudKitModel

/// What one check of one feed came to.
public struct FeedResult: Sendable, Hashable {
  public var recordName: String
  public var feedURL: String
  public var title: String?
  public var status: HealthStatus
  /// `nil` for a feed that was never judged.
  public var previousStatus: HealthStatus?
  /// When the status began.
  public var statusSince: Timestamp?
  /// `nil` when no server answered.
  public var httpStatus: Int?
  /// The most telling first; empty for a healthy feed.
  public var reasons: [HealthReason]
  /// More about a failure than its reason says.
  public var detail: String?
  /// For an editor to put in the seed; never applied by itself.
  public var suggestedURL: String?
  /// 304: everything known from the document is from an earlier check.
  public var notModified: Bool
  /// `nil` unless the document was read.
  public var items: Int?
  public var newestItem: Timestamp?
  /// 0...100, over at most 30 days.
  public var uptimePercentage: Double?
}

/// A feed that was not checked, and why.
public struct SkippedFeed: Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// Its next check is not due: it was just checked, or its publisher asked for patience.
    case notDue(until: Timestamp)
    /// Its host asked to be left alone during this run.
    case hostAsksToWait(until: Timestamp)
    case robots
    /// The run's time was up.
    case budget
  }

  public var recordName: String
  public var feedURL: String
  /// As the container has it.
  public var status: HealthStatus
  public var reason: Reason
}
