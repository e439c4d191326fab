internal import CloudKitModel
public import Diagnostics
internal import RecordChanges

extension HealthRunResult {
  /// `--format markdown`, for the summary of a job.
  public var markdown: MarkdownText {
    var text: MarkdownText = "### Feed health\n\n\(summary)\n\n"
    if localOutage { text += "**\(Self.outageMessage.capitalizedFirst).**\n\n" }
    return text + troubles + (plan.map { Self.markdown(of: $0.changes) } ?? "")
  }

  private var troubles: MarkdownText {
    let troubled = troubled
    guard !troubled.isEmpty else { return "" }
    return "| status | feed | since | why | what to do |\n| --- | --- | --- | --- | --- |\n"
      + troubled.map(\.markdownRow).joined() + "\n"
  }

  /// The number of changes shown; a job summary has a size limit, and the JSON result has them all.
  private static let changesShown = 200

  private static func markdown(of changes: [RecordChange]) -> MarkdownText {
    var text: MarkdownText = "#### Plan\n\n\(HealthUpdatePlan.summary(of: changes))\n\n"
    for entry in changes.prefix(changesShown).map(RecordChangeText.init) {
      text += "- \(code: entry.mark) \(entry.subject)\n"
      for field in entry.fields { text += "  - \(field)\n" }
    }
    let hidden = changes.count - changesShown
    if hidden > 0 { text += "- … and \(hidden) more, which the JSON result has\n" }
    return text
  }
}

extension FeedResult {
  fileprivate var markdownRow: MarkdownText {
    let feed = title.map { "\($0) (\(feedURL))" } ?? feedURL
    let since = statusSince.map { String($0.iso8601.prefix { $0 != "T" }) } ?? ""
    let why = reasons.map { "\($0.code) \($0.explanation)" }.joined(separator: "; ")
    let advice = suggestedURL.map { "Use \($0)" } ?? reasons.first?.advice ?? ""
    return "| \(status.rawValue) | \(feed) | \(since) | \(why) | \(advice) |\n"
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
