internal import Aggregates
internal import AppCode
internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedParsing
internal import FeedState
internal import People
internal import Records
internal import SchemaLanguage

/// Every rule of the tool, for `explain`, for `Documentation/Rules.md` and for the test that compares them with the
/// codes in the sources.
enum RuleCatalog {
  private static let families: [any RuleSet.Type] = [
    SchemaRules.self, SeedRule.self, CurationRule.self, VerificationCode.self, HealthReason.self,
    FeedRule.self, AggregateRule.self, RecordRule.self, AppRule.self, ModerationRule.self,
    ConfigurationRule.self,
  ]

  /// All codes. No page is read for them.
  static var codes: [String] { families.flatMap { $0.codes } }

  static let pages = families.map { $0.page }

  static let all = pages.flatMap(\.rules)

  /// The rules with a code, or with codes that begin so, in any letter case.
  static func rules(_ code: String) -> [Rule] {
    let code = code.uppercased()
    return code.isEmpty ? [] : all.filter { $0.code.hasPrefix(code) }
  }

  /// The code or the risk that a word probably means: by the name of a rule, or the nearest spelling.
  static func suggestion(for word: String) -> String? {
    if let rule = all.first(where: { $0.name == word.lowercased() }) { return rule.code }
    return SpellingSuggestion.nearest(to: word, among: codes, upTo: 1)
      ?? SpellingSuggestion.nearest(to: word, among: RiskOptions.meanings.keys.sorted())
  }

  /// `Documentation/Rules.md`: a table of all codes.
  static var table: String {
    """
    # Rules

    A code keeps its meaning. `celestra-admin explain CODE` prints why a rule matters, an example, and what to do; \
    `celestra-admin explain --all --format markdown` prints all.

    Tests check its examples and severities.

    """ + pages.map(RuleDocumentation.table).joined()
  }

  /// What `explain` prints of all rules in Markdown.
  static var document: String {
    """
    # Rules

    """ + pages.map(RuleDocumentation.sections).joined()
  }
}

extension FindingsReport {
  /// A report of findings, with the documentation of this tool's rules.
  ///
  /// - Parameter failOn: the least severity of the findings that end the command with status 3; `nil` for a command whose
  ///   errors mean that it failed.
  init(
    _ diagnostics: [Diagnostic], notices: [Diagnostic] = [], inputs: [String], failOn: Diagnostic.Severity?,
    maxAnnotations: Int? = nil, summary: String? = nil, failure: CommandFailure? = nil
  ) {
    var report = DiagnosticReport(
      tool: ("celestra-admin", AdminTool.version), inputs: inputs, diagnostics: diagnostics,
      rules: RuleCatalog.all)
    report.notices = notices
    if let failOn { report.failOn = failOn }
    report.maxAnnotations = maxAnnotations
    let status = failOn.map(diagnostics.status(failOn:)) ?? (diagnostics.hasErrors ? .failed : .done)
    self.init(report, status: status, summary: summary, failure: failure)
  }
}

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
    if let meaning = RiskOptions.meanings[risk] {
      let advice = RiskOptions.advice(about: risk)
      return PlainReport(json: ["risk": risk.json, "meaning": meaning.json, "advice": advice.json]) {
        "\(risk, .strong): \(meaning)"
        "\(advice)"
      }
    }
    let rules = RuleCatalog.rules(code)
    guard let rule = rules.first else {
      let risks = RiskOptions.meanings.keys.sorted().joined(separator: ", ")
      throw CommandFailure.usage(
        "'\(code)' is neither the code of a rule nor a risk",
        hint: RuleCatalog.suggestion(for: code).map { "Did you mean '\($0)'?" }
          ?? "Documentation/Rules.md lists all codes. The risks are \(risks)."
      )
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
