public import Diagnostics

/// Whether a text is a schema that can be imported: syntax, and the meaning of each declaration.
public enum SchemaValidator {
  /// Every error of syntax and meaning, in reading order.
  public static func diagnostics(_ parsed: ParsedSchema) -> [Diagnostic] {
    let found = parsed.diagnostics + semantic(parsed)
    return found.isEmpty ? [] : found.sortedForReading()
  }

  static func semantic(_ parsed: ParsedSchema) -> [Diagnostic] {
    let isWhole = !parsed.diagnostics.hasErrors
    let lostNothing = isWhole || parsed.hasEveryStatement
    let rules = SchemaRules.validation.filter { rule in
      switch rule.phase {
      case .declaration: true
      case .statements: lostNothing
      case .file, .lint: isWhole
      }
    }
    return rules.diagnostics(RuleContext(validating: parsed), limit: FindingLimit.ofOneRule)
  }
}

/// What ``SchemaLinter`` looks at beside the file.
public struct LintOptions: Sendable {
  /// The queries an app makes, checked against the indexes.
  public var queries: QueryManifest?
  /// The schema in place, checked for what the file would drop without a word.
  public var baseline: Schema?
  /// A schema whose findings are not repeated.
  public var older: ParsedSchema?
  public var configuration = LintConfiguration()

  public init(queries: QueryManifest? = nil, baseline: Schema? = nil) {
    self.queries = queries
    self.baseline = baseline
  }
}

/// Whether a valid schema is also a good one.
public enum SchemaLinter {
  /// Everything ``SchemaValidator`` finds and, when that is no error, what the lint rules find, without what
  /// the text's own `celestra:ignore` comments suppress and what the configuration turns off.
  public static func diagnostics(_ parsed: ParsedSchema, _ options: LintOptions = LintOptions())
    -> [Diagnostic]
  {
    let found = all(parsed, options)
    guard let older = options.older, !found.isEmpty else { return FindingLimit.apply(to: found) }
    return FindingLimit.apply(to: newFindings(found, in: parsed, since: older, options))
  }

  private static func all(_ parsed: ParsedSchema, _ options: LintOptions) -> [Diagnostic] {
    let valid = SchemaValidator.diagnostics(parsed)
    guard !valid.hasErrors else { return valid }
    let context = RuleContext(
      linting: parsed, queries: options.queries, baseline: options.baseline,
      patterns: options.configuration.databases)
    let found = Suppressions(in: parsed).apply(to: valid + SchemaRules.lint.diagnostics(context))
    return options.configuration.apply(to: found, in: FindingSubjects(parsed)).sortedForReading()
  }

  /// The findings that the older schema does not have. They are matched by code, record type and field, so that a
  /// line that moved brings no finding back. What makes a file invalid always stays.
  private static func newFindings(
    _ found: [Diagnostic], in parsed: ParsedSchema, since older: ParsedSchema, _ options: LintOptions
  ) -> [Diagnostic] {
    let subjects = FindingSubjects(older)
    var known: [FindingSubject: Int] = [:]
    for diagnostic in all(older, options) { known[subjects.subject(of: diagnostic), default: 0] += 1 }
    let newSubjects = FindingSubjects(parsed)
    return found.filter { diagnostic in
      if diagnostic.severity == .error, SchemaRules.rule(diagnostic.code)?.isOfValidity == true {
        return true
      }
      let subject = newSubjects.subject(of: diagnostic)
      guard let count = known[subject], count > 0 else { return true }
      known[subject] = count - 1
      return false
    }
  }
}
