public import Diagnostics

/// Renders a diff for a terminal: one line for each change, grouped by record type.
public enum SchemaDiffText {
  public static func render(
    _ changes: [SchemaChange], _ style: TerminalStyle = .plain, _ policy: SchemaPolicy = .none
  ) -> PrintableText {
    guard !changes.isEmpty else { return noDifferences }
    let text = list(changes, style, policy) + "\(summary(changes))\n"
    guard let refused = policy.summary(changes) else { return text }
    let entries = refused.exceptions.map { entry -> PrintableText in "    \(entry)\n" }.joined()
    return text + "\(refused.sentence). \(SchemaPolicy.advice)\n" + entries
  }

  /// The changes of a reset or of a pull: the last line does not count what an import or a deployment would refuse.
  public static func renderWithoutVerdicts(_ changes: [SchemaChange], _ style: TerminalStyle) -> PrintableText
  {
    guard !changes.isEmpty else { return noDifferences }
    return list(changes, style, .none) + "\(counted(changes.count, "change"))\n"
  }

  private static let noDifferences: PrintableText = "No differences.\n"

  private static func list(_ changes: [SchemaChange], _ style: TerminalStyle, _ policy: SchemaPolicy)
    -> PrintableText
  {
    var text: PrintableText = ""
    for group in changes.grouped() {
      text += style.bold("\(group.heading)") + "\n"
      for line in SchemaChangeLine.lines(of: group.changes) {
        append(line, style, policy, to: &text)
      }
      text += "\n"
    }
    return text
  }

  static func summary(_ changes: [SchemaChange]) -> String {
    "\(counted(changes.count, "change")), \(changes.refusedInDevelopment) refused in development, "
      + "\(changes.refusedInProduction) refused in production"
  }

  private static func append(
    _ line: SchemaChangeLine, _ style: TerminalStyle, _ policy: SchemaPolicy, to text: inout PrintableText
  ) {
    let change = line.first
    var shown: PrintableText = "  \(change.sign) \(line.summary)"
    let caution = change.caution
    if !caution.isEmpty { shown += "   (\(caution))" }
    text += painted(shown, change, style) + "\n"
    for member in change.members { text += painted("      \(member)", change, style) + "\n" }
    if let refusal = policy.refusal(of: change) {
      text += "      \(style.red("not additive:")) \(refusal)\n"
    }
    if let exception = policy.exception(for: change) {
      text += "      allowed by an exception: \(exception.reason)\n"
    }
    if let code = policy.correction(of: change) { text += "      allowed, because it corrects \(code)\n" }
    if let hint = change.hint { text += "      \(hint)\n" }
  }

  private static func painted(_ text: PrintableText, _ change: SchemaChange, _ style: TerminalStyle)
    -> PrintableText
  {
    if change.risk == .dataLoss || change.production == .refused { return style.red(text) }
    return change.risk == .none && !change.kind.isRemoval ? style.green(text) : style.yellow(text)
  }
}

/// Renders a diff for a comment on a pull request: the important changes first, long lists folded.
public enum SchemaDiffMarkdown {
  /// The maximum length of the diff. GitHub refuses comments of more than 65,536 characters; the difference is for
  /// other text in the comment.
  static let maxCharacters = 56_000
  /// The maximum number of lines of a record type that are not folded.
  private static let maxOpenLines = 12

  /// - Parameters:
  /// - title: the title, which names the compared schemas.
  /// - demand: a sentence about what applying the changes requires; empty for a comparison.
  public static func render(
    _ changes: [SchemaChange], title: MarkdownText = "Schema", demand: MarkdownText = "",
    policy: SchemaPolicy = .none
  ) -> MarkdownText {
    guard !changes.isEmpty else { return "### \(title)\n\nNo differences.\n" }
    var text: MarkdownText = "### \(title)\n\n\(SchemaDiffText.summary(changes)).\n"
    if !demand.isEmpty { text += "\n\(demand)\n" }
    if let refused = policy.summary(changes) {
      let entries = refused.exceptions.map { entry -> MarkdownText in "- \(code: entry)\n" }.joined()
      text += "\n**\(refused.sentence).** \(SchemaPolicy.advice)\n\n" + entries
    }
    let groups = changes.grouped()
    for (place, group) in groups.enumerated() {
      let section = section(group.heading, SchemaChangeLine.lines(of: group.changes), policy)
      guard text.description.utf8.count + section.description.utf8.count <= maxCharacters else {
        let left = groups[place...].reduce(0) { $0 + $1.changes.count }
        let headings = counted(groups.count - place, "record type")
        return text
          + "\n**\(headings) with \(counted(left, "change")) left out.** The whole list: `celestra-admin schema diff`.\n"
      }
      text += section
    }
    return text
  }

  private static func section(_ heading: String, _ lines: [SchemaChangeLine], _ policy: SchemaPolicy)
    -> MarkdownText
  {
    var table: MarkdownText =
      "| | change | risk | development | production |\n| --- | --- | --- | --- | --- |\n"
    for line in lines { table += row(line, policy) }
    let members = lines.map(members).joined()
    guard lines.count > maxOpenLines else { return "\n**\(heading)**\n\n\(table)\(members)" }
    let risks = lines.flatMap(\.changes).risks.joined(separator: ", ")
    let caution: MarkdownText = risks.isEmpty ? "" : " (\(risks))"
    return
      "\n<details><summary><b>\(html: heading)</b>: \(counted(lines.count, "line"))\(caution)</summary>\n\n\(table)\(members)\n</details>\n"
  }

  private static func row(_ line: SchemaChangeLine, _ policy: SchemaPolicy) -> MarkdownText {
    let change = line.first
    let hint = policy.remarks(on: change).map { remark -> MarkdownText in "<br>\(remark)" }.joined()
    let risk = change.risk == .none ? "" : change.risk.rawValue
    let outcomes: MarkdownText = "\(risk) | \(change.development.rawValue) | \(change.production.rawValue)"
    return "| \(change.sign) | \(tableCode: line.summary)\(hint) | \(outcomes) |\n"
  }

  /// The members of an added or removed type: its grants, and its fields, which are folded if there are many.
  private static func members(_ line: SchemaChangeLine) -> MarkdownText {
    let members = line.first.members
    guard !members.isEmpty else { return "" }
    let list = members.map { member -> MarkdownText in "- \(code: member.squeezed)\n" }
    guard list.count > maxOpenLines, let whole = line.first.whole else { return "\n" + list.joined() }
    let fields = list.prefix(whole.fields.count).joined()
    let grants = list.suffix(whole.grants.count).joined()
    return
      "\n<details><summary>\(counted(whole.fields.count, "field"))</summary>\n\n\(fields)\n</details>\n\n\(grants)"
  }
}

extension String {
  /// The text without the padding of a column.
  fileprivate var squeezed: String { split(separator: " ").joined(separator: " ") }
}
