internal import Diagnostics
internal import FeedHealth
internal import RecordChanges

/// The verdicts of a health run on a terminal: the feeds that want attention, worst first, each with why and what to
/// do; then the counts.
struct HealthTable {
  let text: PrintableText

  init(_ report: HealthReport, _ style: Style) {
    let changes = report.plan?.changes ?? []
    var text = ChangeText.lines(of: changes)
    text += report.troubled.map { HealthTable.entry($0, style) }.joined() + "\(report.summary)\n"
    if report.plan != nil { text += "\(HealthPlan.summary(of: changes))\n" }
    if report.feeds.isEmpty, report.skipped.contains(where: { $0.reason.kind == .notDue }) {
      text += style.dim("--force checks what is not due, too\n")
    }
    self.text = text
  }

  private static func entry(_ feed: FeedResult, _ style: Style) -> PrintableText {
    let mark = feed.status == .down ? style.red("✗ down    ") : style.yellow("! degraded")
    var text: PrintableText = "\(mark) \(feed.title ?? feed.recordName)  \(style.dim("\(feed.feedURL)"))\n"
    for reason in feed.reasons {
      text += "    \(reason.code) \(reason.explanation). \(style.dim("\(reason.advice)"))\n"
    }
    for particular in feed.particulars { text += "    \(style.dim("\(particular)"))\n" }
    return text
  }
}
