package import CloudKitModel
package import FeedState

package struct FeedResult: Sendable, Hashable {
  package var recordName: String
  package var feedURL: String
  /// `nil` for a feed without one.
  package var slug: String?
  package var title: String?
  /// Unknown when the cause is ours, because then nothing was recorded.
  package var status: HealthStatus
  /// `nil` for a feed that was never checked.
  package var previousStatus: HealthStatus?
  package var statusSince: Timestamp?
  package var checkedAt: Timestamp
  /// `nil` when no server answered.
  package var httpStatus: Int?
  /// The most important first; empty for a healthy feed.
  package var reasons: [HealthReason]
  /// Whose fault it is; `nil` when the check succeeded.
  package var cause: FailureCause?
  /// More about a failure than its reason says.
  package var detail: String?
  /// An address for an editor to put in the seed. The tool never applies it by itself.
  package var suggestedURL: String?
  /// The feed of the catalog that has the suggested address already.
  package var suggestedFeed: KnownFeed?
  /// What the answer or the site of a feed that is gone has in its place, in one clause; `nil` without a feed.
  package var suggestionNote: String?
  /// Where permanent redirects led when the feed worked last; `nil` without one.
  var redirectURL: String?
  /// Where redirects led; `nil` without one.
  package var redirectedTo: String?
  /// The title of a web page that was served in place of the feed.
  package var pageTitle: String?
  /// True for a 304; the facts about the document come from an earlier check.
  package var notModified: Bool
  /// `nil` unless the document was read.
  package var items: Int?
  package var newestItem: Timestamp?
  /// 0...100, over at most 30 days.
  package var uptimePercentage: Double?
  /// The checks that ``uptimePercentage`` covers, and those that were refused in the same days and are not among them.
  package var uptimeChecks: Int64 = 0
  package var refusedChecks: Int64 = 0
  package var falls = FallHistory()
  /// The ``PageShape`` of a page that was served in place of the feed; `nil` when the last check had that status, too.
  var page: Int?

  /// False when the container did not take what the check found.
  var isRecorded = true
  var isRetired = false

  /// The check has a verdict, and it is recorded; one whose failure is ours has none.
  package var isJudged: Bool { status != .unknown && isRecorded }
}

/// A feed that was not checked, and why.
package struct SkippedFeed: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// The next check is not due yet.
    case notDue(until: Timestamp)
    /// The host asked for no requests during this run.
    case hostAsksToWait(until: Timestamp)
    case robots
    /// The run's time budget was used up.
    case budget
    /// A limit of this tool forbids the request: a private address, or too many redirects.
    case ownRules(HealthReason, detail: String)

    /// When the feed can be checked again; `nil` when no time is known.
    package var until: Timestamp? {
      switch self {
      case .notDue(let moment), .hostAsksToWait(let moment): moment
      case .robots, .budget, .ownRules: nil
      }
    }
  }

  package var recordName: String
  package var feedURL: String
  package var title: String?
  /// The status in the container.
  package var status: HealthStatus
  /// The most important reason for it, as far as the container has it.
  package var statusReason: HealthReason?
  package var reason: Reason
  /// The last time the feed was looked at; `nil` for never.
  package var lastCheck: Timestamp?
  /// True when the feed has gone without a check for three times its interval.
  package var isNeglected = false
  package var falls = FallHistory()
  var isRetired = false
}
