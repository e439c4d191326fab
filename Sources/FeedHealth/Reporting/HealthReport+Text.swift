internal import CloudKitModel

extension HealthReport {
  /// One line of counts: the verdicts, and how many feeds were skipped for which reason.
  public var summary: String {
    if feeds.isEmpty, skipped.isEmpty { return "no feeds to check" }
    return "\(checked) checked: \(count(of: .healthy)) healthy, \(count(of: .degraded)) degraded, "
      + "\(count(of: .down)) down; \(notModified) not modified" + leftOut
  }

  private var leftOut: String {
    SkippedFeed.Reason.Kind.allCases.map { kind in
      let count = skipped.count { $0.reason.kind == kind }
      return count > 0 ? ", \(count) \(kind.rawValue)" : ""
    }.joined()
  }

  /// The degraded and down feeds, worst first.
  public var troubled: [FeedResult] {
    feeds.filter(\.status.isTroubled).sorted {
      ($1.status.severity, $0.title ?? "", $0.feedURL) < ($0.status.severity, $1.title ?? "", $1.feedURL)
    }
  }

  /// The message for our own outage, without a full stop.
  public static let outageMessage =
    "half of all hosts could not be reached; assuming the problem is local, no results were recorded"
}

extension FeedResult {
  /// Details beyond the reasons: what happened, which address to use instead, and since when.
  public var particulars: [String] {
    [
      detail, suggestedURL.map { "suggested: \($0)" },
      statusSince.map { "\(status.rawValue) since \($0.iso8601)" },
    ].compactMap(\.self)
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
  /// Why feeds were skipped, worded to follow a count.
  public enum Kind: String, Sendable, CaseIterable {
    case notDue = "not due"
    case hostAsksToWait = "skipped because the host asked to retry later"
    case robots = "forbidden by robots.txt"
    case budget = "left for the next run"
  }

  public var kind: Kind {
    switch self {
    case .notDue: .notDue
    case .hostAsksToWait: .hostAsksToWait
    case .robots: .robots
    case .budget: .budget
    }
  }

  /// The same for one feed.
  var explanation: String {
    switch self {
    case .notDue(let moment), .hostAsksToWait(let moment): "\(kind.rawValue), until \(moment.iso8601)"
    case .robots, .budget: kind.rawValue
    }
  }
}
