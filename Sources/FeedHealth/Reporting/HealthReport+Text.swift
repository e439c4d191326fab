internal import CloudKitModel

extension HealthReport {
  /// The counts in a line: what was found, and how many feeds were left out and why.
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

  /// The feeds that want attention, worst first.
  public var troubled: [FeedResult] {
    feeds.filter(\.status.isTroubled).sorted {
      ($1.status.severity, $0.title ?? "", $0.feedURL) < ($0.status.severity, $1.title ?? "", $1.feedURL)
    }
  }

  /// What an outage of our own is called, without a full stop.
  public static let outageMessage =
    "half of all hosts could not be reached: this is taken for our own outage, and nothing was recorded"
}

extension FeedResult {
  /// What is known of a feed's trouble beside its reasons: what was seen, what to use instead, since when.
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
  /// Somebody should look at such a feed.
  public var isTroubled: Bool { severity > 0 }
}

extension SkippedFeed.Reason {
  /// What feeds are left out for, in words that go with their number.
  public enum Kind: String, Sendable, CaseIterable {
    case notDue = "not due"
    case hostAsksToWait = "left alone as the host asked"
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
