internal import CloudKitModel
internal import Diagnostics
internal import FeedFetching
package import FeedState

extension HealthRunResult {
  package var summary: String { numbers.description }

  var numbers: Tally {
    if feeds.isEmpty, skipped.isEmpty, isInterrupted {
      return "no feed was checked before the run was stopped"
    }
    if feeds.isEmpty, skipped.isEmpty { return readsOnlyDue ? "no feed is due" : "no feeds to check" }
    let unrecorded = feeds.count - checked
    let more: [Tally] = [
      refused > 0 ? ", \(refused) refused" : "",
      unrecorded > 0 ? ", \(unrecorded) asked but not recorded" : "", leftOut,
      readsOnlyDue ? "; feeds that are not due were not read" : "", alerts.counts,
    ]
    return
      "\(checked) checked: \(count(of: .healthy)) healthy, \(count(of: .degraded)) degraded, \(count(of: .down)) down; \(notModified) not modified\(more.joined())"
  }

  /// Sentences about the run as a whole, without a full stop.
  var warnings: [String] {
    [sharedPage?.message].compactMap(\.self) + (isRefusedEverywhere ? [Self.refusedMessage] : [])
      + (lost > 0 ? [lostMessage] : []) + (hasOlderSchema ? [Self.olderSchemaMessage] : [])
  }

  var lostMessage: String {
    "the name server probably drops requests: it did not answer for the hosts of \(counted(lost, "feed")), and for others "
      + "only when asked again, or no longer; nothing was recorded about these feeds"
  }

  private static let refusedMessage =
    "every feed refused this run; the servers probably refuse this machine's address or the user agent, not the feeds"
  private static let olderSchemaMessage =
    "FeedMetadata of this container lacks the field failingSince, so falls, refusals, reasons and proposed addresses "
    + "are not kept; 'celestra-admin schema plan' with the current schema file adds it"

  private var leftOut: Tally {
    SkippedFeed.Reason.Kind.allCases.map { kind -> Tally in
      let count = skipped.count { $0.reason.kind == kind }
      return count > 0 ? ", \(count) \(kind.words)" : ""
    }.joined()
  }

  package var troubled: [FeedResult] {
    feeds.filter(\.status.isTroubled).sorted {
      ($1.status.severity, $0.title ?? "", $0.feedURL) < ($0.status.severity, $1.title ?? "", $1.feedURL)
    }
  }

}

/// Feeds that need attention for the same reasons, all the fault of their hosts, or a single feed.
struct TroubleGroup {
  var feeds: [FeedResult]

  /// Fewer feeds are shown one by one.
  private static let minFeeds = 5

  /// - Parameter feeds: keep their order.
  static func groups(of feeds: [FeedResult]) -> [TroubleGroup] {
    func cause(_ feed: FeedResult) -> [String]? {
      feed.cause == .host && feed.suggestedURL == nil && !feed.isRetired
        ? [feed.status.rawValue] + feed.reasons.map(\.code) : nil
    }
    let counts = feeds.reduce(into: [:]) { counts, feed in cause(feed).map { counts[$0, default: 0] += 1 } }
    return feeds.groups { feed in cause(feed).flatMap { counts[$0] ?? 0 >= minFeeds ? $0 : nil } }
      .map(TroubleGroup.init)
  }

  /// `20 feeds of example.com`, `50 feeds of 48 hosts`
  var title: String {
    let hosts = Set(feeds.map { HostName.of($0.feedURL) })
    let words = hosts.count == 1 ? hosts.first ?? "" : counted(hosts.count, "host")
    return "\(counted(feeds.count, "feed")) of \(words)"
  }

  /// What all of them say beyond their reasons.
  var detail: String? { Set(feeds.map(\.detail)).count == 1 ? feeds[0].detail : nil }
}

extension SharedPage {
  /// What happened, and what to do, without a full stop.
  var message: String {
    let words = [example.httpStatus.map { "HTTP \($0)" }, example.pageTitle.map { "'\($0)'" }].compactMap(
      \.self)
    return
      "\(hosts) of \(counted(asked, "host")) answered with the same page (\(words.joined(separator: ", "))), which "
      + "counts as their own; open a feed from another network: a proxy or filter of this one may have answered"
  }
}

extension LocalOutage {
  /// What happened, how it shows, and what became of the feeds, without a full stop.
  package var message: String {
    let parts = Signature.allCases.filter { counts[$0] ?? 0 > 0 }
      .sorted { counts[$0] ?? 0 > counts[$1] ?? 0 }.map { $0.words(for: counts[$0] ?? 0) }
    return
      "the network of this machine has probably failed, and not the feeds: \(parts.joined(separator: ", and ")). "
      + (names.isEmpty ? "" : "Not among them: \(names.joined(separator: ", ")). ")
      + "From then on nothing was recorded, and each feed keeps its state"
  }

  private var names: [String] {
    Exception.allCases.flatMap { reason -> [String] in
      let hosts = exceptions[reason] ?? []
      let more = hosts.count - Self.maxNamed
      return hosts.prefix(Self.maxNamed).map { "\($0) (\(reason.words))" }
        + (more > 0 ? ["\(more) more (\(reason.words))"] : [])
    }
  }

  private static let maxNamed = 5
}

extension LocalOutage.Exception {
  fileprivate var words: String {
    switch self {
    case .answered: "answered"
    case .failedBefore: "failed at the last check, too"
    case .newHost: "was never asked before"
    case .failedOtherwise: "failed in another way"
    case .notAsked: "was not asked"
    }
  }
}

extension LocalOutage.Signature {
  fileprivate func words(for hosts: Int) -> String {
    let count = counted(hosts, "host")
    return switch self {
    case .silentNameServer: "no name server answered for \(count)"
    case .unknownNames: "none of the names of \(count) has an address"
    case .privateAddress: "the names of \(count) have private addresses"
    case .noConnection: "no connection to \(count) could be made"
    case .noAnswer: "\(count) accepted the connection and sent nothing"
    case .foreignPage: "\(count) answered with the same page in place of a feed"
    case .foreignHost: "\(count) redirected to the same other host"
    case .untrustedIssuer: "\(count) had a certificate of the same issuer, which is not trusted"
    case .foreignCertificate: "\(count) had the same certificate, which is for other hosts"
    }
  }
}

extension FeedResult {
  /// Details in addition to the reasons: what was served and where, and for how long.
  package var particulars: [String] {
    [
      answer, detail, pageTitle.map { "page: \($0)" }, redirectedTo.map { "redirected to \($0)" },
      uptimeText, suggestionNote, lasting,
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
    guard statusSince != checkedAt else { return "\(status.rawValue) since this check" }
    let duration = ReadableDuration.text(checkedAt.since(statusSince)).map { " for \($0)," } ?? ""
    return "\(status.rawValue)\(duration) since \(statusSince.iso8601)"
  }
}

extension HealthStatus {
  package var isTroubled: Bool { severity > 0 }
}

extension SkippedFeed.Reason {
  /// Why feeds were skipped, with words for scripts.
  package enum Kind: String, Sendable, CaseIterable {
    case notDue = "not-due"
    case hostAsksToWait = "host-asks-to-wait"
    case robots, budget
    case privateAddress = "private-address"
    case redirects = "too-many-redirects"
    case otherRule = "own-rules"

    /// Worded to follow a count.
    var words: StaticString {
      switch self {
      case .notDue: "not due"
      case .hostAsksToWait: "skipped because the host asked to retry later"
      case .robots: "forbidden by robots.txt"
      case .budget: "left for the next run"
      case .privateAddress: "skipped for private addresses (--allow-private-addresses --force)"
      case .redirects: "skipped for too many redirects (health.maxRedirects)"
      case .otherRule: "skipped because of a limit of this tool"
      }
    }
  }

  package var kind: Kind {
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

  /// The feed was due, and a rule of its host or of ours kept it from being asked.
  var isOfDueFeed: Bool { kind != .notDue && kind != .budget }

  /// The same for one feed.
  var explanation: String {
    if case .ownRules(let rule, let detail) = self { return "\(rule.code) \(detail)" }
    return kind.words.description + (until.map { ", until \($0.iso8601)" } ?? "")
  }
}
