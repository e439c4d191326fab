internal import CloudKitModel
public import Diagnostics
internal import SchemaLanguage

/// The report of `schema plan` and `schema apply`.
public struct SchemaPlanReport: Report {
  /// Whether the plan was only made, or applied.
  public enum Outcome: Sendable {
    case planned
    /// Imported, and read back unless the report has a failure.
    case applied
  }

  private let plan: SchemaPlan
  private let outcome: Outcome
  private let makesContainer: Bool
  public let status: ExitStatus
  public let failure: CommandFailure?

  /// - Parameters:
  ///   - makesContainer: true if applying the plan creates the container.
  ///   - failure: why the imported schema could not be read back.
  public init(
    _ plan: SchemaPlan, _ outcome: Outcome = .planned, makesContainer: Bool = false,
    status: ExitStatus = .done, failure: CommandFailure? = nil
  ) {
    self.plan = plan
    self.outcome = outcome
    self.makesContainer = makesContainer
    self.status = failure?.status ?? status
    self.failure = failure
  }

  public var isConfirmation: Bool { outcome == .applied || plan.changes.isEmpty && !makesContainer }

  public var json: JSONValue {
    var json = SchemaDiffJSON.render(plan.changes).object ?? [:]
    guard outcome == .planned else { return .object(json) }
    json["risks"] = .array(plan.risks.sorted().map(JSONValue.string))
    json["kept"] = .array(plan.kept.map(JSONValue.string))
    json["makesContainer"] = .bool(makesContainer)
    if !steps.isEmpty { json["steps"] = .array(steps.map(JSONValue.string)) }
    json["plan"] = plan.json
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    if plan.isAlreadyApplied { return "already applied: \(target) has the schema of this plan\n" }
    guard outcome == .planned else {
      return plan.changes.isEmpty
        ? "already up to date\n" : "\(imported)\n"
    }
    let title: PrintableText = plan.changes.isEmpty ? "" : "Schema plan for \(target)\n\n"
    let kept = plan.kept.map { name -> PrintableText in
      "kept: \(name), which CloudKit manages and the file leaves out\n"
    }
    let notes = [made, demand].compactMap(\.self).map { (label, text) -> PrintableText in
      "\(label.isEmpty ? "" : style.yellow("\(label)"))\(text)\n"
    }
    let console: PrintableText =
      steps.isEmpty
      ? "" : "\nProduction accepts no imports. In the CloudKit Console:\n" + PrintableText(lines: steps)
    return title + SchemaDiffText.render(plan.changes, style) + kept.joined() + notes.joined() + console
  }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    guard format == .markdown else { return text(style) }
    var markdown = SchemaDiffMarkdown.render(
      plan.changes, title: "Schema plan for \(code: plan.target.name) (\(plan.target.environment.rawValue))",
      demand: outcome == .planned ? sentences : "")
    if plan.isAlreadyApplied {
      markdown += "\nAlready applied: \(target) has the schema of this plan.\n"
    } else if outcome == .applied {
      markdown += "\n\(imported).\n"
    }
    if !steps.isEmpty {
      markdown += "\nProduction accepts no imports. In the CloudKit Console:\n\n"
      for step in steps { markdown += "\(step)\n" }
    }
    return PrintableText(markdown)
  }

  private var target: String { "\(plan.target.name) (\(plan.target.environment.rawValue))" }

  private var imported: String {
    "\(counted(plan.changes.count, "change")) imported\(failure == nil ? " and read back" : ", but not read back")"
  }

  private var made: (label: String, text: String)? {
    makesContainer ? ("", "\(plan.target.name) does not exist yet; applying this plan creates it") : nil
  }

  /// What prevents the plan from being applied.
  private var demand: (label: String, text: String)? {
    if !plan.refused.isEmpty {
      return (
        "refused: ",
        "development refuses \(counted(plan.refused.count, "change")), so the plan cannot be applied"
      )
    }
    guard !plan.risks.isEmpty, plan.target.environment == .development else { return nil }
    let flags = plan.risks.sorted().map { "--accept-risk \($0)" }.joined(separator: " ")
    return ("risks: ", "applying this needs \(flags)")
  }

  private var sentences: MarkdownText {
    let kept = plan.kept.map { name -> MarkdownText in
      "Kept: \(code: name), which CloudKit manages and the file leaves out.\n"
    }
    return [made, demand].compactMap(\.self).map { (label, text) -> MarkdownText in
      label.isEmpty ? "\(text).\n" : "**\(label.dropLast())** \(text).\n"
    }.joined() + kept.joined()
  }

  /// The steps that deploy a schema to production (Documentation/reference/schema-language.md#imports).
  private var steps: [String] {
    outcome == .planned && plan.target.environment == .production && !plan.changes.isEmpty
      ? SchemaPlan.consoleSteps : []
  }
}

extension SchemaPlan {
  /// The steps that deploy a schema to production on CloudKit, one on each line.
  public static let consoleSteps = [
    "1. import the same file into development: celestra-admin schema apply FILE --environment development",
    "2. open https://icloud.developer.apple.com, choose the container, then Development",
    "3. choose Deploy Schema Changes, read the list, and deploy",
    "4. check the result: celestra-admin schema diff container:production container:development --exit-code",
  ]
}
