public import CloudKitModel

/// The result of one check of one feed.
public struct FeedResult: Sendable, Hashable {
  public var recordName: String
  public var feedURL: String
  public var title: String?
  public var status: HealthStatus
  /// `nil` for a feed that was never checked.
  public var previousStatus: HealthStatus?
  /// When the status began.
  public var statusSince: Timestamp?
  /// `nil` when no server answered.
  public var httpStatus: Int?
  /// The most important first; empty for a healthy feed.
  public var reasons: [HealthReason]
  /// More about a failure than its reason says.
  public var detail: String?
  /// An address for an editor to put in the seed. The tool never applies it by itself.
  public var suggestedURL: String?
  /// True for a 304; the facts about the document come from an earlier check.
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
    /// The next check is not due yet.
    case notDue(until: Timestamp)
    /// The host asked for no requests during this run.
    case hostAsksToWait(until: Timestamp)
    case robots
    /// The run's time budget was used up.
    case budget
  }

  public var recordName: String
  public var feedURL: String
  /// The status in the container.
  public var status: HealthStatus
  public var reason: Reason
}
