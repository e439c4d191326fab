internal import Diagnostics
internal import FeedHealth
internal import RecordChanges

/// The verdicts of a health run on a terminal: the feeds that want attention, worst first, each with why and what to
/// do; then the counts.
struct HealthTable {
  let text: String

  init(_ report: HealthReport, _ style: Style) {
    let changes = report.plan?.changes ?? []
    var text = ChangeText.lines(of: changes)
    text += report.troubled.map { HealthTable.entry($0, style) }.joined() + report.summary + "\n"
    if report.plan != nil { text += HealthPlan.summary(of: changes) + "\n" }
    if report.feeds.isEmpty, report.skipped.contains(where: { $0.reason.kind == .notDue }) {
      text += style.dim("--force checks what is not due, too\n")
    }
    if report.localOutage { text += style.red(HealthReport.outageMessage) + "\n" }
    self.text = text + report.writes.remainingText(style)
  }

  private static func entry(_ feed: FeedResult, _ style: Style) -> String {
    let mark = feed.status == .down ? style.red("✗ down    ") : style.yellow("! degraded")
    var text =
      "\(mark) \((feed.title ?? feed.recordName).printableLine)  \(style.dim(feed.feedURL.printableLine))\n"
    for reason in feed.reasons {
      text += "    \(reason.code) \(reason.explanation.printableLine). \(style.dim(reason.advice))\n"
    }
    return text + feed.particulars.map { "    \(style.dim($0.printableLine))\n" }.joined()
  }
}
