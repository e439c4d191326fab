internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

extension HealthReport {
  /// `--format markdown`, for the summary of a job.
  public var markdown: String {
    var text = "### Feed health\n\n\(summary)\n\n"
    if localOutage { text += "**\(Self.outageMessage.capitalizedFirst).**\n\n" }
    return text + troubles + (plan.map { Self.markdown(of: $0.changes) } ?? "")
  }

  private var troubles: String {
    let troubled = troubled
    guard !troubled.isEmpty else { return "" }
    let rows = troubled.map { "| \($0.markdownCells.map(\.markdownCell).joined(separator: " | ")) |\n" }
    return "| status | feed | since | why | what to do |\n| --- | --- | --- | --- | --- |\n"
      + rows.joined() + "\n"
  }

  /// The number of changes shown; a job summary has a size limit, and the JSON result has them all.
  private static let changesShown = 200

  private static func markdown(of changes: [RecordChange]) -> String {
    let items = changes.prefix(changesShown).map(ChangeText.init).map { entry in
      "- `\(entry.mark)` \(entry.subject.markdownCell)\n"
        + entry.fields.map { "  - \($0.markdownCell)\n" }.joined()
    }
    let hidden = changes.count - items.count
    return "#### Plan\n\n\(HealthPlan.summary(of: changes))\n\n" + items.joined()
      + (hidden > 0 ? "- … and \(hidden) more, which the JSON result has\n" : "")
  }
}

extension FeedResult {
  fileprivate var markdownCells: [String] {
    [
      status.rawValue, title.map { "\($0) (\(feedURL))" } ?? feedURL,
      statusSince.map { String($0.iso8601.prefix { $0 != "T" }) } ?? "",
      reasons.map { "\($0.code) \($0.explanation)" }.joined(separator: "; "),
      suggestedURL.map { "Use \($0)" } ?? reasons.first?.advice ?? "",
    ]
  }
}

extension String {
  /// Shown as it is in a cell of a table.
  fileprivate var markdownCell: String {
    printableLine.reduce(into: "") { result, character in
      switch character {
      case "|", "*", "_", "`", "[", "]", "\\": result += "\\\(character)"
      case "<": result += "&lt;"
      case "&": result += "&amp;"
      case "\n": result += " "
      default: result.append(character)
      }
    }
  }

  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
