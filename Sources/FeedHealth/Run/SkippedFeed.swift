public import CloudKitModel

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
  /// The status in the container.
  public var status: HealthStatus
  public var reason: Reason
  /// The last time the feed was looked at; `nil` for never.
  public var lastCheck: Timestamp?
  /// True when the feed has gone without a check for three times its interval.
  public var isNeglected = false
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
