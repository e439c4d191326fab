internal import CloudKitModel
internal import Diagnostics

extension HealthReport {
  /// `--format markdown`, for the summary of a job.
  public var markdown: String {
    var text = "### Feed health\n\n\(summary)\n\n"
    if localOutage { text += "**\(Self.outageMessage.capitalizedFirst).**\n\n" }
    let troubled = troubled
    guard !troubled.isEmpty else { return text }
    text += "| status | feed | since | why | what to do |\n| --- | --- | --- | --- | --- |\n"
    for feed in troubled {
      text += "| \(feed.markdownCells.map(\.markdownCell).joined(separator: " | ")) |\n"
    }
    return text
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
