internal import Aggregates
internal import AppCode
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

  /// The code that a word probably means: by the name of its rule, or the nearest spelling.
  static func suggestion(for word: String) -> String? {
    if let rule = all.first(where: { $0.name == word.lowercased() }) { return rule.code }
    return SpellingSuggestion.nearest(to: word, among: codes, upTo: 1)
  }

  /// `Documentation/Rules.md`: a table of all codes.
  static var table: String {
    """
    # Rules

    Every finding has a code, and a code keeps its meaning. `celestra-admin explain CODE` prints why a rule matters, an \
    example, and what to do; `celestra-admin explain --all --format markdown` prints that of all rules.

    The severity is the usual one. Some cases have another. The rules in the sources make \
    this page, and a test runs each example.

    """ + pages.map(RuleDocumentation.table).joined()
  }

  /// What `explain` prints of all rules in Markdown.
  static var document: String {
    """
    # Rules

    The severity is the usual one. Some cases have another.

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
