/// A diff for a pull request's comment.
public enum SchemaDiffMarkdown {
  public static func render(_ changes: [SchemaChange]) -> String {
    guard !changes.isEmpty else { return "### Schema\n\nNo differences.\n" }
    var text = "### Schema: \(SchemaDiffText.summary(changes))\n"
    for group in changes.grouped() {
      text += "\n**\(escaped(group.heading))**\n\n"
      text += "| | change | risk | development | production |\n| --- | --- | --- | --- | --- |\n"
      for change in group.changes { text += row(change) }
    }
    return text
  }

  private static func row(_ change: SchemaChange) -> String {
    let hint = change.hint.map { "<br>\(escaped($0))" } ?? ""
    let risk = change.risk == .none ? "" : change.risk.rawValue
    let cells = [
      change.sign, "`\(change.summary)`\(hint)", risk, change.development.rawValue,
      change.production.rawValue,
    ]
    return "| \(cells.joined(separator: " | ")) |\n"
  }

  /// Names hold letters, digits, `_` and dots; only `_` means something to Markdown, and `<` in LIST<...>.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "_", "*", "|", "`", "\\": result += "\\\(character)"
      case "<": result += "&lt;"
      case "&": result += "&amp;"
      default: result.append(character)
      }
    }
  }
}
