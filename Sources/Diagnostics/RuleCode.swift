/// The codes of one family of rules: an enum whose raw values are the codes. A code is never given to another rule.
public protocol RuleCode: RawRepresentable<String>, CaseIterable, Sendable {
  /// The documentation of the code.
  var rule: Rule { get }
}

extension RuleCode {
  /// `SE0301`
  public var code: String { rawValue }

  /// The rules of the family, in the order of their codes.
  public static var rules: [Rule] { allCases.map(\.rule) }

  /// One row of a family's table.
  public func rule(
    _ name: String, _ severity: Diagnostic.Severity, _ summary: String, why rationale: String,
    example: String = "", useInstead: String = "", help: String = "", source: String, aliases: [String] = []
  ) -> Rule {
    Rule(
      rawValue, name, severity, summary: summary, rationale: rationale, example: example,
      useInstead: useInstead, help: help, source: source, aliases: aliases)
  }
}

extension Diagnostic {
  /// A finding under a rule's code.
  ///
  /// - Parameter severity: replaces the rule's severity.
  public init(
    _ code: some RuleCode, _ message: String, at range: SourceRange? = nil, severity: Severity? = nil,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil
  ) {
    self.init(
      code.rawValue, severity ?? code.rule.severity, message, at: range, notes: notes, help: help, fix: fix)
  }
}
