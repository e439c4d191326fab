/// A diff for a person at a terminal: one line a change, grouped by record type.
public enum SchemaDiffText {
  public static func render(_ changes: [SchemaChange], color: Bool = false) -> String {
    guard !changes.isEmpty else { return "No differences.\n" }
    var text = ""
    // About what a change takes: a long diff is then written once, not copied as it grows.
    text.reserveCapacity(changes.count * 128)
    for group in changes.grouped() {
      append(group.heading, color: color ? 1 : nil, to: &text)
      for change in group.changes { append(change, color: color, to: &text) }
      text += "\n"
    }
    return text + summary(changes) + "\n"
  }

  static func summary(_ changes: [SchemaChange]) -> String {
    let refused = changes.refusedInProduction
    return "\(changes.count) change\(changes.count == 1 ? "" : "s"), \(refused) refused in production"
  }

  private static func append(_ change: SchemaChange, color: Bool, to text: inout String) {
    var line = "  "
    line += change.sign
    line += " "
    line += change.summary
    let caution = change.caution
    if !caution.isEmpty { line += "   (\(caution))" }
    append(line, color: color ? colorCode(change) : nil, to: &text)
    if let hint = change.hint { text += "      \(hint)\n" }
  }

  private static func append(_ line: String, color: Int?, to text: inout String) {
    if let color { text += "\u{1B}[\(color)m" }
    text += line
    text += color == nil ? "\n" : "\u{1B}[0m\n"
  }

  private static func colorCode(_ change: SchemaChange) -> Int {
    if change.risk == .dataLoss || change.production == .refused { return 31 }
    return change.risk == .none ? 32 : 33
  }
}
