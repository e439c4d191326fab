internal import Articles
internal import Catalog
internal import CloudKitModel
package import Diagnostics
internal import FeedState
internal import RecordChanges

package struct HealthRunReport: Report {
  package enum FailLevel: String, Sendable, CaseIterable {
    /// A feed of the catalog is degraded or down, whether this run checked it or not.
    case degraded
    /// A feed of the catalog is down, whether this run checked it or not.
    case down
    /// A feed became down, or began to flap, since the last run over all feeds with this level.
    case newlyDown = "newly-down"

    /// The status from which on a feed is a finding; `nil` when only changes are.
    var status: HealthStatus? { HealthStatus(rawValue: rawValue) }
  }

  package let run: HealthRunResult
  private let failLevel: FailLevel?
  private let isVerbose: Bool

  /// - Parameters:
  ///   - failLevel: what makes the run end with findings; `nil` nothing.
  package init(_ run: HealthRunResult, failLevel: FailLevel? = nil, isVerbose: Bool = false) {
    self.run = run
    self.failLevel = failLevel
    self.isVerbose = isVerbose
  }

  package var status: ExitStatus {
    if run.outage != nil { return .failed }
    guard run.writes.isComplete else { return run.writes.status }
    if run.isInterrupted { return .interrupted }
    return hasFindings ? .findings : .done
  }

  private var hasFindings: Bool {
    guard let failLevel else { return false }
    if run.isRefusedEverywhere { return true }
    guard let status = failLevel.status else { return run.alerts.hasFalls }
    return run.hasChecked(atLeast: status) || !run.unchecked(atLeast: status).isEmpty
  }

  package var failure: CommandFailure? {
    if let outage = run.outage {
      return CommandFailure(
        outage.message, code: "local-outage",
        hint: "Check the network, the name server and the clock of this machine; then run the command again"
          + (outage.counts[.privateAddress] == nil
            ? "." : ", with --allow-private-addresses if the feeds are on an intranet."))
    }
    if var failure = run.writes.failure {
      if run.alerts.hasFalls {
        failure.message += "; not all falls were recorded, so the next run reports those again"
      }
      return failure
    }
    guard run.isInterrupted else { return nil }
    return CommandFailure(
      "interrupted; completed checks are recorded", code: "interrupted",
      hint: "Run the command again: it checks the rest.", status: .interrupted)
  }

  package var isConfirmation: Bool {
    run.plan == nil && !hasFindings && run.sharedPage == nil && !run.isKeptFromFeeds
  }

  package var metrics: [Metric] { run.metrics }
  package var tally: Tally? { run.numbers }

  package var json: JSONValue {
    guard !run.writes.isComplete, var object = run.json.object else { return run.json }
    object["remaining"] = run.writes.remainingJSON
    return .object(object)
  }

  /// Feeds that were not checked for too long.
  package var findings: [Diagnostic] {
    run.skipped.filter(\.isNeglected).map { feed in
      let last = feed.lastCheck.map { "last checked \($0.iso8601)" } ?? "never checked"
      return Diagnostic(
        HealthReason.neglected, "\(feed.feedURL) is \(last), and was skipped: \(feed.reason.explanation)")
    }
  }

  /// The feeds are written while they are checked.
  package func ownRendering(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText? {
    format == .jsonl ? "" : nil
  }

  package var title: StyledText? { "Feed health" }

  /// The feeds that need attention, worst first, each with the reason and what to do; then the counts.
  package var body: ReportBody {
    ReportBody.changes(run.plan?.changes ?? [])
    for sentence in run.alerts.sentences { "\(sentence, .strong)" }
    TroubleGroup.groups(of: run.troubled).map(Self.item)
    lasting.map(lasting)
    if isVerbose {
      for feed in run.skipped { ListItem(.note, "skipped \(feed.feedURL): \(feed.reason.explanation)") }
    }
    findings
    for decision in run.articleDecisions {
      "\("\(decision.feed) \(decision.name):", .dim) \(decision.explanation)"
    }
  }

  /// The feeds for which the run ends with findings, a page that a person has to look at, and that a rule kept the run from
  /// asking feeds. The failure of a run is printed as an error.
  package var urgent: ReportBody? { run.plan == nil ? causes : nil }

  @ReportBodyBuilder private var causes: ReportBody {
    if status == .findings {
      let severity = failLevel?.status?.severity
      for sentence in run.alerts.falls { "\(sentence, .strong)" }
      TroubleGroup.groups(
        of: run.troubled.filter { feed in
          severity.map { feed.status.severity >= $0 } ?? falls.contains(feed.recordName)
        }
      ).map(Self.item)
      lasting.map(lasting)
      for sentence in run.warnings { ListItem(.caution, "\(sentence)") }
    } else if let page = run.sharedPage {
      ListItem(.caution, "\(page.message)")
    }
    if run.isKeptFromFeeds { ListItem(.caution, "\(run.summary)") }
  }

  package var conclusion: ReportBody {
    for sentence in run.warnings { ListItem(.caution, "\(sentence)") }
    "\(run.summary)"
    if let articles = run.articles { "\(articles.summary)" }
    for note in run.notes { "\(note)" }
    if let plan = run.plan { "\(HealthUpdatePlan.summary(of: plan.changes))" }
    if run.feeds.isEmpty, run.readsOnlyDue || run.skipped.contains(where: { $0.reason.kind == .notDue }) {
      "\("--force", .code) checks what is not due, too"
    }
  }

  /// A feed, or the cause that several feeds share and then their names.
  private static func item(_ group: TroubleGroup) -> ListItem {
    let feed = group.feeds[0]
    let isAlone = group.feeds.count == 1
    let reasons = feed.reasonLines.map { reason, advice -> StyledText in
      "\(reason.code) \(reason.explanation). \(advice, .dim)"
    }
    let particulars = isAlone ? feed.particulars : [group.detail].compactMap(\.self)
    return item(
      feed.status,
      isAlone
        ? name(of: feed.title ?? feed.recordName, feed.feedURL, isRetired: feed.isRetired) : "\(group.title)",
      reasons + particulars.map { StyledText($0, .dim) }
        + (isAlone ? [] : group.feeds.map { name(of: $0.title ?? $0.recordName, $0.feedURL) }))
  }

  private static func item(_ status: HealthStatus, _ name: StyledText, _ details: [StyledText]) -> ListItem {
    let word: StyledText = status == .down ? "\("down    ", .bad)" : "\("degraded", .caution)"
    return ListItem(status == .down ? .bad : .caution, word + " " + name, details: details)
  }

  private static func name(of title: String, _ url: String, isRetired: Bool = false) -> StyledText {
    "\(title)  \(url, .dim)\(isRetired ? "  retired" : "", .dim)"
  }

  /// The feeds that make the run end with findings although it did not check them.
  private var lasting: [SkippedFeed] {
    guard let failLevel else { return [] }
    return failLevel.status.map(run.unchecked) ?? run.skipped.filter { falls.contains($0.recordName) }
  }

  private var falls: Set<String> { Set((run.alerts.newlyDown + run.alerts.flapping).map(\.recordName)) }

  private func lasting(_ feed: SkippedFeed) -> ListItem {
    let words =
      falls.contains(feed.recordName)
      ? "an earlier run checked it; 'celestra-admin status' says what to do"
      : "as before; \(feed.reason.explanation)"
    let cause: [StyledText] = feed.statusReason.map { ["\($0.code) \($0.explanation)"] } ?? []
    return Self.item(
      feed.status, Self.name(of: feed.title ?? feed.recordName, feed.feedURL, isRetired: feed.isRetired),
      cause + ["\(words, .dim)"])
  }
}

package struct KnownFeed: Sendable, Hashable {
  package var recordName: String
  /// The slug, or the record name of a feed without one.
  package var name: String
  package var isRetired: Bool
}

extension KnownFeed {
  init(_ record: Record, _ mapping: FeedRecordMapping) {
    recordName = record.recordName
    name = mapping.slug.flatMap { record[$0]?.string } ?? record.recordName
    isRetired = mapping.isRetired(record)
  }
}

/// What an editor can do about a feed that needs attention, in one or two sentences. `health check`, `status` and the
/// report all say this.
enum FeedAdvice {
  /// - Parameters:
  ///   - feed: the slug, or the record name of a feed without one.
  ///   - reason: the most important one; `nil` when only the check itself knew it.
  ///   - address: the proposed one.
  ///   - owner: the other feed of the catalog that has it, retired feeds included.
  ///   - isRedirect: see `MovedFeed.isRedirect(_:to:)`.
  static func text(
    _ feed: String, _ reason: HealthReason?, address: String?, of owner: KnownFeed?, isRedirect: Bool
  ) -> String {
    guard let address else {
      return reason?.advice ?? "Look at it: celestra-admin health check --force --only \(feed.shellWord)"
    }
    guard let owner else { return "Change feedURL to \(address)." }
    return TakenAddressAdvice.text(
      feed, to: address, of: owner.name, isRetired: owner.isRetired, isRedirect: isRedirect)
  }
}

extension FeedResult {
  /// The slug, or the record name of a feed without one.
  var name: String { slug ?? recordName }

  /// Each reason with what an editor can do. That of the first is about the feed as a whole.
  var reasonLines: [(reason: HealthReason, advice: String)] {
    reasons.enumerated().map { index, reason in
      (
        reason,
        index == 0 ? advice : isRetired || suggestedURL != nil && reason.asksForAddress ? "" : reason.advice
      )
    }
  }

  /// As in ``FeedAdvice``.
  var advice: String {
    if isRetired, suggestedURL == nil { return "It is retired: only a check with --only asks it." }
    return FeedAdvice.text(
      name, reasons.first, address: suggestedURL, of: suggestedFeed,
      isRedirect: MovedFeed.isRedirect(redirectURL, to: suggestedURL))
  }
}

extension HealthReason {
  /// Its advice is to use another address, which a proposal makes more precise.
  fileprivate var asksForAddress: Bool {
    [.movedPermanently, .htmlPage, .notAFeed, .notFound, .refused, .badRedirect, .tooManyRedirects]
      .contains(self)
  }
}
