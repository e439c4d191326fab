public import Diagnostics

/// A diff for a person at a terminal: one line a change, grouped by record type.
public enum SchemaDiffText {
  public static func render(_ changes: [SchemaChange], color: Bool = false) -> PrintableText {
    guard !changes.isEmpty else { return "No differences.\n" }
    var text: PrintableText = ""
    for group in changes.grouped() {
      text += painted("\(group.heading)", color ? .bold : nil) + "\n"
      for change in group.changes { append(change, color: color, to: &text) }
      text += "\n"
    }
    return text + "\(summary(changes))\n"
  }

  static func summary(_ changes: [SchemaChange]) -> String {
    let refused = changes.refusedInProduction
    return "\(changes.count) change\(changes.count == 1 ? "" : "s"), \(refused) refused in production"
  }

  private static func append(_ change: SchemaChange, color: Bool, to text: inout PrintableText) {
    var line: PrintableText = "  \(change.sign) \(change.summary)"
    let caution = change.caution
    if !caution.isEmpty { line += "   (\(caution))" }
    text += painted(line, color ? paint(change) : nil) + "\n"
    if let hint = change.hint { text += "      \(hint)\n" }
  }

  private static func painted(_ line: PrintableText, _ paint: PrintableText.Paint?) -> PrintableText {
    paint.map(line.painted) ?? line
  }

  private static func paint(_ change: SchemaChange) -> PrintableText.Paint {
    if change.risk == .dataLoss || change.production == .refused { return .red }
    return change.risk == .none ? .green : .yellow
  }
}
