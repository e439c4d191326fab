/// A diff for a person at a terminal: one line a change, grouped by record type.
public enum SchemaDiffText {
  public static func render(_ changes: [SchemaChange], color: Bool = false) -> String {
    guard !changes.isEmpty else { return "No differences.\n" }
    var text = ""
    for group in changes.grouped() {
      text += (color ? "\u{1B}[1m\(group.heading)\u{1B}[0m" : group.heading) + "\n"
      for change in group.changes { text += line(change, color: color) }
      text += "\n"
    }
    return text + summary(changes) + "\n"
  }

  static func summary(_ changes: [SchemaChange]) -> String {
    let refused = changes.refusedInProduction
    return "\(changes.count) change\(changes.count == 1 ? "" : "s"), \(refused) refused in production"
  }

  private static func line(_ change: SchemaChange, color: Bool) -> String {
    let caution = change.caution.isEmpty ? "" : "   (\(change.caution))"
    let line = "  \(change.sign) \(change.summary)\(caution)"
    let hint = change.hint.map { "      \($0)\n" } ?? ""
    return (color ? "\u{1B}[\(colorCode(change))m\(line)\u{1B}[0m" : line) + "\n" + hint
  }

  private static func colorCode(_ change: SchemaChange) -> Int {
    if change.risk == .dataLoss || change.production == .refused { return 31 }
    return change.risk == .none ? 32 : 33
  }
}
