internal import Articles
internal import CloudKitModel
public import Diagnostics
internal import FeedState
internal import RecordChanges

/// The report of `health check`: the verdicts of one run, for people and for scripts.
public struct HealthRunReport: Report {
  /// What makes a run end with findings.
  public enum FailLevel: String, Sendable, CaseIterable {
    /// A feed of the catalog is degraded or down, whether this run checked it or not.
    case degraded
    /// A feed of the catalog is down, whether this run checked it or not.
    case down
    /// A feed became down, or began to flap, since the last run that reported on all feeds.
    case newlyDown = "newly-down"

    /// The status from which on a feed is a finding; `nil` when only changes are.
    var status: HealthStatus? {
      switch self {
      case .degraded: .degraded
      case .down: .down
      case .newlyDown: nil
      }
    }
  }

  public let run: HealthRunResult
  private let failLevel: FailLevel?
  private let isVerbose: Bool
  private let isQuiet: Bool

  /// - Parameters:
  ///   - failLevel: what makes the run end with findings; `nil` nothing.
  ///   - isVerbose: also list the feeds that were skipped.
  ///   - isQuiet: of what makes the run end with ``FailLevel/newlyDown``, list only the feeds that fell.
  public init(
    _ run: HealthRunResult, failLevel: FailLevel? = nil, isVerbose: Bool = false, isQuiet: Bool = false
  ) {
    self.run = run
    self.failLevel = failLevel
    self.isVerbose = isVerbose
    self.isQuiet = isQuiet
  }

  public var status: ExitStatus {
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

  public var failure: CommandFailure? {
    if let outage = run.outage {
      return CommandFailure(
        outage.message, code: "local-outage", hint: "Run the command again when the network works.")
    }
    if let failure = run.writes.failure { return failure }
    guard run.isInterrupted else { return nil }
    return CommandFailure(
      "interrupted; completed checks are recorded", code: "interrupted",
      hint: "Run the command again: it checks the rest.", status: .interrupted)
  }

  public var isConfirmation: Bool { run.plan == nil && !hasFindings }

  public var metrics: [Metric] { run.metrics }
  public var tally: String? { ([run.summary] + run.alerts.sentences).joined(separator: "\n") }

  public var json: JSONValue {
    guard !run.writes.isComplete, var object = run.json.object else { return run.json }
    object["remaining"] = run.writes.remainingJSON
    return .object(object)
  }

  /// Feeds that were not checked for too long.
  public var findings: [Diagnostic] {
    run.skipped.filter(\.isNeglected).map { feed in
      let last = feed.lastCheck.map { "last checked \($0.iso8601)" } ?? "never checked"
      return Diagnostic(
        HealthReason.neglected, "\(feed.feedURL) is \(last), and was skipped: \(feed.reason.explanation)")
    }
  }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    switch format {
    case .jsonl: ""
    case .markdown: PrintableText(run.markdown)
    default: text(style)
    }
  }

  // MARK: Text

  /// The feeds that need attention, worst first, each with the reason and what to do; then the counts.
  public func text(_ style: TerminalStyle) -> PrintableText {
    let changes = run.plan?.changes ?? []
    var text = RecordChangeText.lines(of: changes)
    for sentence in run.alerts.sentences { text += style.bold("\(sentence)") + "\n" }
    let showsNewsOnly = isQuiet && failLevel == .newlyDown
    let news = Set((run.alerts.newlyDown + run.alerts.flapping).map(\.recordName))
    let shown = run.troubled.filter { !showsNewsOnly || news.contains($0.recordName) }
    text += TroubleGroup.groups(of: shown).map { Self.entry($0, style) }.joined()
    text += lasting.map { Self.lasting($0, style) }.joined()
    if isVerbose { text += run.skipped.map { Self.entry($0, style) }.joined() }
    if !showsNewsOnly { text += TextRenderer(colored: style.isColored).render(findings) }
    for sentence in run.warnings { text += "\(style.yellow("!")) \(sentence)\n" }
    text += "\(run.summary)\n"
    for decision in run.articleDecisions {
      text += style.dim("\(decision.feed) \(decision.name): ") + "\(decision.explanation)\n"
    }
    if let articles = run.articles { text += "\(articles.summary)\n" }
    for note in run.notes { text += "\(note)\n" }
    if run.plan != nil { text += "\(HealthUpdatePlan.summary(of: changes))\n" }
    if run.feeds.isEmpty, run.readsOnlyDue || run.skipped.contains(where: { $0.reason.kind == .notDue }) {
      text += style.dim("--force checks what is not due, too\n")
    }
    return text
  }

  /// A feed, or the cause that several feeds share and then their names.
  private static func entry(_ group: TroubleGroup, _ style: TerminalStyle) -> PrintableText {
    let feed = group.feeds[0]
    let isAlone = group.feeds.count == 1
    let mark = feed.status == .down ? style.red("✗ down    ") : style.yellow("! degraded")
    var text: PrintableText = "\(mark) \(isAlone ? name(of: feed, style) : "\(group.title)")\n"
    for (reason, advice) in feed.reasonLines {
      text += "    \(reason.code) \(reason.explanation). \(style.dim("\(advice)"))\n"
    }
    for particular in isAlone ? feed.particulars : [group.detail].compactMap(\.self) {
      text += "    \(style.dim("\(particular)"))\n"
    }
    if !isAlone { for feed in group.feeds { text += "    \(name(of: feed, style))\n" } }
    return text
  }

  private static func name(of feed: FeedResult, _ style: TerminalStyle) -> PrintableText {
    "\(feed.title ?? feed.recordName)  \(style.dim("\(feed.feedURL)"))"
  }

  /// The feeds that make the run end with findings although it did not check them.
  private var lasting: [SkippedFeed] { (failLevel?.status).map(run.unchecked) ?? [] }

  private static func lasting(_ feed: SkippedFeed, _ style: TerminalStyle) -> PrintableText {
    let mark = feed.status == .down ? style.red("✗ down    ") : style.yellow("! degraded")
    return "\(mark) \(feed.title ?? feed.recordName)  \(style.dim("\(feed.feedURL)"))\n"
      + "    \(style.dim("as before; \(feed.reason.explanation)"))\n"
  }

  private static func entry(_ feed: SkippedFeed, _ style: TerminalStyle) -> PrintableText {
    "\(style.dim("- skipped ")) \(feed.feedURL): \(feed.reason.explanation)\n"
  }
}
