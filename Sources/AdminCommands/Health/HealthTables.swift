internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth

/// The verdicts of a health run, laid out.
enum HealthTables {
  /// The feeds that want attention, worst first, each with why and what to do; then the counts.
  static func text(_ report: HealthReport, _ style: Style) -> String {
    let lines = troubled(report).map { feed -> String in
      let mark = feed.status == .down ? style.red("✗ down    ") : style.yellow("! degraded")
      var text = "\(mark) \(feed.title ?? feed.recordName)  \(style.dim(feed.feedURL))\n"
      for reason in feed.reasons {
        text += "    \(reason.code) \(reason.explanation). \(style.dim(reason.advice))\n"
      }
      if let detail = feed.detail { text += "    \(style.dim(detail))\n" }
      if let url = feed.suggestedURL { text += "    suggested: \(url)\n" }
      if let since = feed.statusSince { text += "    since \(since.iso8601)\n" }
      return text
    }
    return lines.joined() + summary(report) + outage(report, style)
  }

  static func markdown(_ report: HealthReport) -> String {
    var text = "### Feed health\n\n\(summary(report))\n"
    if report.localOutage { text += "**Half of all hosts could not be reached: nothing was recorded.**\n\n" }
    guard !troubled(report).isEmpty else { return text }
    text += "| status | feed | why | what to do |\n| --- | --- | --- | --- |\n"
    for feed in troubled(report) {
      let why = feed.reasons.map { "\($0.code) \($0.explanation)" }.joined(separator: "; ")
      let advice = feed.suggestedURL.map { "Use \($0)" } ?? feed.reasons.first?.advice ?? ""
      let cells = [feed.status.rawValue, feed.title ?? feed.feedURL, why, advice].map(cell)
      text += "| \(cells.joined(separator: " | ")) |\n"
    }
    return text
  }

  static func junit(_ report: HealthReport) -> String {
    let cases = report.feeds.map { feed in
      JUnitDocument.Case(name: feed.feedURL, failure: feed.status.severity == 0 ? nil : failure(of: feed))
    }
    return JUnitDocument(name: "celestra-admin", suites: [.init(name: "feed health", cases: cases)]).text
  }

  private static func failure(of feed: FeedResult) -> JUnitDocument.Failure {
    JUnitDocument.Failure(
      type: feed.status.rawValue, message: feed.reasons.map(\.explanation).joined(separator: "; "),
      body: feed.reasons.map { "\($0.code) \($0.explanation). \($0.advice)" }.joined(separator: "\n"))
  }

  private static func troubled(_ report: HealthReport) -> [FeedResult] {
    report.feeds.filter { $0.status.severity > 0 }
      .sorted {
        ($1.status.severity, $0.title ?? "", $0.feedURL) < ($0.status.severity, $1.title ?? "", $1.feedURL)
      }
  }

  private static func summary(_ report: HealthReport) -> String {
    "\(report.checked) checked: \(report.count(of: .healthy)) healthy, \(report.count(of: .degraded)) degraded, "
      + "\(report.count(of: .down)) down; \(report.notModified) not modified\(skipped(report))\n"
  }

  /// How many were left out, and why.
  private static func skipped(_ report: HealthReport) -> String {
    var counts = [0, 0, 0, 0]
    for feed in report.skipped {
      switch feed.reason {
      case .notDue: counts[0] += 1
      case .hostAsksToWait: counts[1] += 1
      case .robots: counts[2] += 1
      case .budget: counts[3] += 1
      }
    }
    let words = [
      "not due", "left alone as their host asked", "forbidden by robots.txt", "left for the next run",
    ]
    return zip(counts, words).filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
  }

  private static func outage(_ report: HealthReport, _ style: Style) -> String {
    guard report.localOutage else { return "" }
    return style.red(
      "half of all hosts could not be reached: this is taken for our own outage; nothing was recorded\n")
  }

  /// Text in a table cell, shown as it is.
  private static func cell(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "|", "*", "_", "`", "[", "]", "\\": result += "\\\(character)"
      case "<": result += "&lt;"
      case "&": result += "&amp;"
      case "\n": result += " "
      default: result.append(character)
      }
    }
  }
}
