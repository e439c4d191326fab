public import Diagnostics

/// Renders a diff for a terminal: one line for each change, grouped by record type.
public enum SchemaDiffText {
  public static func render(_ changes: [SchemaChange], _ style: TerminalStyle = .plain) -> PrintableText {
    guard !changes.isEmpty else { return "No differences.\n" }
    var text: PrintableText = ""
    for group in changes.grouped() {
      text += style.bold("\(group.heading)") + "\n"
      for line in SchemaChangeLine.lines(of: group.changes) { append(line, style, to: &text) }
      text += "\n"
    }
    return text + "\(summary(changes))\n"
  }

  static func summary(_ changes: [SchemaChange]) -> String {
    "\(counted(changes.count, "change")), \(changes.refusedInDevelopment) refused in development, "
      + "\(changes.refusedInProduction) refused in production"
  }

  private static func append(_ line: SchemaChangeLine, _ style: TerminalStyle, to text: inout PrintableText) {
    let change = line.first
    var shown: PrintableText = "  \(change.sign) \(line.summary)"
    let caution = change.caution
    if !caution.isEmpty { shown += "   (\(caution))" }
    text += painted(shown, change, style) + "\n"
    for member in change.members { text += painted("      \(member)", change, style) + "\n" }
    if let hint = change.hint { text += "      \(hint)\n" }
  }

  private static func painted(_ text: PrintableText, _ change: SchemaChange, _ style: TerminalStyle)
    -> PrintableText
  {
    if change.risk == .dataLoss || change.production == .refused { return style.red(text) }
    return change.risk == .none ? style.green(text) : style.yellow(text)
  }
}
