public import Diagnostics

/// A diff for a pull request's comment.
public enum SchemaDiffMarkdown {
  public static func render(_ changes: [SchemaChange]) -> MarkdownText {
    guard !changes.isEmpty else { return "### Schema\n\nNo differences.\n" }
    var text: MarkdownText = "### Schema: \(SchemaDiffText.summary(changes))\n"
    for group in changes.grouped() {
      text += "\n**\(group.heading)**\n\n"
      text += "| | change | risk | development | production |\n| --- | --- | --- | --- | --- |\n"
      for change in group.changes { text += row(change) }
    }
    return text
  }

  private static func row(_ change: SchemaChange) -> MarkdownText {
    let hint = change.hint.map { hint -> MarkdownText in "<br>\(hint)" } ?? ""
    let risk = change.risk == .none ? "" : change.risk.rawValue
    let outcomes: MarkdownText = "\(risk) | \(change.development.rawValue) | \(change.production.rawValue)"
    return "| \(change.sign) | \(tableCode: change.summary)\(hint) | \(outcomes) |\n"
  }
}
