internal import ArgumentParser
internal import CommandLine
internal import Diagnostics

struct ExplainCommand: AdminCommand {
  static let usesContainer = false
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a code such as CK0203, or a risk such as readers-move, that a command printed.",
    discussion: """
      Prints what is found, why it matters, an example, the same example without the finding, and the source of the \
      rule. Upper and lower case are the same. Of a risk it prints what accepting it means; of \
      the beginning of codes, such as CK03, their list.

      Examples:
        celestra-admin explain FH0302
        celestra-admin explain --all --format markdown --output rules.md
      """)

  @Argument(help: "The code or the risk.", completion: CompletionValues.codes) var code: String?
  @Flag(help: "Explain every code.") var all = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ExplainCommand>

  func validate() throws {
    if (code == nil) != all { throw ValidationError("explain takes a code, or --all") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    guard let code else { return RuleExplanation(rule: nil) }
    let risk = code.lowercased()
    if let meaning = RiskOptions.meaning(of: risk) {
      let advice = RiskOptions.advice(about: risk)
      return PlainReport(json: ["risk": risk.json, "meaning": meaning.json, "advice": advice.json]) {
        "\(risk, .strong): \(meaning)"
        "\(advice)"
      }
    }
    let rules = RuleCatalog.rules(code)
    guard let rule = rules.first else {
      throw CommandFailure.usage(
        "no rule has the code '\(code)'",
        hint: RuleCatalog.suggestion(for: code).map { "Did you mean '\($0)'?" }
          ?? "Documentation/Rules.md lists all codes.")
    }
    guard rules.count > 1 else { return RuleExplanation(rule: rule) }
    return PlainReport(json: ["rules": rules.map(\.json).json]) {
      for rule in rules { "\(rule.code, .code) \(rule.level): \(rule.summary)" }
    }
  }
}

private struct RuleExplanation: Report {
  let rule: Rule?

  var json: JSONValue { rule?.json ?? ["rules": RuleCatalog.all.map(\.json).json] }

  var body: ReportBody {
    ReportBody.document(
      (rule.map { [$0] } ?? RuleCatalog.all).map(RuleDocumentation.text).joined(separator: "\n"))
  }

  /// The page of a rule is Markdown of its own, and its text has paragraphs.
  func ownRendering(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText? {
    guard format == .markdown else { return text(style).wrapped(to: style.width, hanging: 0) }
    return PrintableText(document: rule.map(RuleDocumentation.section) ?? RuleCatalog.document)
  }
}
