internal import CloudKitModel
internal import Diagnostics
public import FeedState

extension HealthRunResult {
  /// One line of counts: the verdicts, and how many feeds were skipped for which reason.
  public var summary: String {
    if feeds.isEmpty, skipped.isEmpty, isInterrupted {
      return "no feed was checked before the run was stopped"
    }
    if feeds.isEmpty, skipped.isEmpty { return readsOnlyDue ? "no feed is due" : "no feeds to check" }
    return "\(checked) checked: \(count(of: .healthy)) healthy, \(count(of: .degraded)) degraded, "
      + "\(count(of: .down)) down; \(notModified) not modified" + (refused > 0 ? ", \(refused) refused" : "")
      + leftOut + (readsOnlyDue ? "; feeds that are not due were not read" : "") + alerts.counts
  }

  /// Sentences about the run as a whole, without a full stop.
  var warnings: [String] {
    (isRefusedEverywhere ? [Self.refusedMessage] : []) + (hasOlderSchema ? [Self.olderSchemaMessage] : [])
  }

  private static let refusedMessage =
    "every feed refused this run; the servers probably refuse this machine's address or the user agent, not the feeds"
  private static let olderSchemaMessage =
    "FeedMetadata of this container lacks the field failingSince, so falls, refusals, reasons and proposed addresses "
    + "are not kept; 'celestra-admin schema plan' with the current schema file adds it"

  private var leftOut: String {
    SkippedFeed.Reason.Kind.allCases.map { kind in
      let count = skipped.count { $0.reason.kind == kind }
      return count > 0 ? ", \(count) \(kind.words)" : ""
    }.joined()
  }

  /// The degraded and down feeds, worst first.
  public var troubled: [FeedResult] {
    feeds.filter(\.status.isTroubled).sorted {
      ($1.status.severity, $0.title ?? "", $0.feedURL) < ($0.status.severity, $1.title ?? "", $1.feedURL)
    }
  }

  /// The message for a local outage, without a full stop.
  public static let outageMessage =
    "half of all hosts could not be reached; assuming the problem is local, no results were recorded"
}

extension FeedResult {
  /// Details in addition to the reasons: what was served and where, which address to use instead, and for how long.
  public var particulars: [String] {
    [
      answer, detail, pageTitle.map { "page: \($0)" }, redirectedTo.map { "redirected to \($0)" },
      uptimeText, suggestionNote,
      suggestedURL.map {
        "suggested: \($0)" + (suggestedRecordName.map { ", which is \($0) in the catalog already" } ?? "")
      },
      lasting,
    ].compactMap(\.self)
  }

  /// `uptime 96 % of 25 checks; 5 more were refused`; `nil` without refusals, when the status says enough.
  private var uptimeText: String? {
    guard refusedChecks > 0 else { return nil }
    guard let uptimePercentage else { return "\(counted(refusedChecks, "check")) refused in 30 days" }
    return "uptime \(Int(uptimePercentage)) % of \(counted(uptimeChecks, "check")); "
      + "\(refusedChecks) more were refused"
  }

  private var answer: String? { httpStatus.flatMap { $0 == 200 || $0 == 304 ? nil : "HTTP \($0)" } }

  /// `down for 3 days`
  private var lasting: String? {
    guard let statusSince else { return nil }
    guard let words = ReadableDuration.text(checkedAt.since(statusSince)) else {
      return "\(status.rawValue) since this check"
    }
    return "\(status.rawValue) for \(words), since \(statusSince.iso8601)"
  }
}

/// Formats a duration in words.
package enum ReadableDuration {
  /// The largest unit alone: `3 days`. `nil` for less than a minute.
  ///
  /// - Parameter days: the largest number of days that is still written in hours.
  package static func text(_ duration: Duration, hoursUpToDays days: Int64 = 0) -> String? {
    let seconds = duration.components.seconds
    for (unit, length) in [("day", Int64(86_400)), ("hour", 3600), ("minute", 60)] where seconds >= length {
      if unit == "day", seconds <= days * length { continue }
      return counted(seconds / length, unit)
    }
    return nil
  }
}

extension HealthReason {
  /// Code, explanation and advice.
  public var line: String { "\(code) \(explanation). \(advice)" }
}

extension HealthStatus {
  /// True for a feed that needs attention.
  public var isTroubled: Bool { severity > 0 }
}

extension SkippedFeed.Reason {
  /// Why feeds were skipped, with words for scripts.
  public enum Kind: String, Sendable, CaseIterable {
    case notDue = "not-due"
    case hostAsksToWait = "host-asks-to-wait"
    case robots, budget
    case privateAddress = "private-address"
    case redirects = "too-many-redirects"
    case otherRule = "own-rules"

    /// Worded to follow a count.
    var words: String {
      switch self {
      case .notDue: "not due"
      case .hostAsksToWait: "skipped because the host asked to retry later"
      case .robots: "forbidden by robots.txt"
      case .budget: "left for the next run"
      case .privateAddress: "skipped for private addresses (--allow-private-addresses)"
      case .redirects: "skipped for too many redirects (health.maxRedirects)"
      case .otherRule: "skipped because of a limit of this tool"
      }
    }
  }

  public var kind: Kind {
    switch self {
    case .notDue: .notDue
    case .hostAsksToWait: .hostAsksToWait
    case .robots: .robots
    case .budget: .budget
    case .ownRules(.addressForbidden, _): .privateAddress
    case .ownRules(.tooManyRedirects, _): .redirects
    case .ownRules: .otherRule
    }
  }

  /// The same for one feed.
  var explanation: String {
    if case .ownRules(let rule, let detail) = self { return "\(rule.code) \(detail)" }
    return kind.words + (until.map { ", until \($0.iso8601)" } ?? "")
  }
}
