public import CloudKitModel
public import FeedState

/// The result of one check of one feed.
public struct FeedResult: Sendable, Hashable {
  public var recordName: String
  public var feedURL: String
  /// `nil` for a feed without one.
  public var slug: String?
  public var title: String?
  /// Unknown when the cause is ours, because then nothing was recorded.
  public var status: HealthStatus
  /// `nil` for a feed that was never checked.
  public var previousStatus: HealthStatus?
  /// When the status began.
  public var statusSince: Timestamp?
  public var checkedAt: Timestamp
  /// `nil` when no server answered.
  public var httpStatus: Int?
  /// The most important first; empty for a healthy feed.
  public var reasons: [HealthReason]
  /// Whose fault it is; `nil` when the check succeeded.
  public var cause: FailureCause?
  /// More about a failure than its reason says.
  public var detail: String?
  /// An address for an editor to put in the seed. The tool never applies it by itself.
  public var suggestedURL: String?
  /// The feed of the catalog that has the suggested address already.
  public var suggestedFeed: KnownFeed?
  /// What the site of a feed that is gone has, in one clause; `nil` when it was not asked or has no feed.
  public var suggestionNote: String?
  /// Where redirects led; `nil` without one.
  public var redirectedTo: String?
  /// The title of a web page that was served in place of the feed.
  public var pageTitle: String?
  /// True for a 304; the facts about the document come from an earlier check.
  public var notModified: Bool
  /// `nil` unless the document was read.
  public var items: Int?
  public var newestItem: Timestamp?
  /// 0...100, over at most 30 days.
  public var uptimePercentage: Double?
  /// The checks that ``uptimePercentage`` covers, and those that were refused in the same days and are not among them.
  public var uptimeChecks: Int64 = 0
  public var refusedChecks: Int64 = 0
  public var falls = FallHistory()
}

extension FeedResult {
  /// The check has a verdict; one whose failure is ours has none.
  public var isJudged: Bool { status != .unknown }
}

/// A feed that was not checked, and why.
public struct SkippedFeed: Sendable, Hashable {
  /// Why a feed was not checked.
  public enum Reason: Sendable, Hashable {
    /// The next check is not due yet.
    case notDue(until: Timestamp)
    /// The host asked for no requests during this run.
    case hostAsksToWait(until: Timestamp)
    case robots
    /// The run's time budget was used up.
    case budget
    /// A limit of this tool forbids the request: a private address, or too many redirects.
    case ownRules(HealthReason, detail: String)
  }

  public var recordName: String
  public var feedURL: String
  public var title: String?
  /// The status in the container.
  public var status: HealthStatus
  public var reason: Reason
  /// The last time the feed was looked at; `nil` for never.
  public var lastCheck: Timestamp?
  /// True when the feed has gone without a check for three times its interval.
  public var isNeglected = false
  public var falls = FallHistory()
}

extension SkippedFeed.Reason {
  /// When the feed can be checked again; `nil` when no time is known.
  public var until: Timestamp? {
    switch self {
    case .notDue(let moment), .hostAsksToWait(let moment): moment
    case .robots, .budget, .ownRules: nil
    }
  }
}
