public import Diagnostics

/// Checks syntax and semantics: whether a text is a schema that can be imported.
public enum SchemaValidator {
  /// All syntax and semantic errors, in the order of the text.
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

/// The inputs of ``SchemaLinter`` in addition to the schema file.
public struct LintOptions: Sendable {
  /// The queries of an app, whose indexes are checked.
  public var queries: QueryManifest?
  /// The current schema, to find what an import of the file would silently drop.
  public var baseline: Schema?
  /// An older schema; findings that it also has are not reported.
  public var older: ParsedSchema?
  public var configuration = LintConfiguration()

  public init(queries: QueryManifest? = nil, baseline: Schema? = nil) {
    self.queries = queries
    self.baseline = baseline
  }
}

/// Checks a valid schema against the lint rules.
public enum SchemaLinter {
  /// The findings of ``SchemaValidator`` and, if there are no errors, of the lint rules; without those that
  /// `celestra:ignore` comments suppress or the configuration turns off.
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

  /// The findings that the older schema does not have, matched by code, record type and field, so that moved lines
  /// cause no new findings. Errors that make the file invalid are always reported.
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

/// Limits the number of listed findings of each rule.
enum FindingLimit {
  static let ofOneRule = 100

  static func note(_ omitted: Int, _ code: String, at place: SourceRange?) -> Diagnostic {
    Diagnostic(
      SyntaxCode.tooManyErrors.rawValue, .note,
      "\(omitted) more \(omitted == 1 ? "finding" : "findings") of \(code) \(omitted == 1 ? "is" : "are") not listed",
      at: place)
  }

  /// The first findings of each rule, and a note for each rule that has more.
  static func apply(to found: [Diagnostic]) -> [Diagnostic] {
    guard found.count > ofOneRule else { return found }
    var counts: [String: Int] = [:]
    var last: [String: SourceRange?] = [:]
    let kept = found.filter { diagnostic in
      counts[diagnostic.code, default: 0] += 1
      guard counts[diagnostic.code, default: 0] <= ofOneRule else { return false }
      last[diagnostic.code] = diagnostic.range
      return true
    }
    let notes = counts.sorted { $0.key < $1.key }.filter { $0.value > ofOneRule }
    return kept + notes.map { note($0.value - ofOneRule, $0.key, at: last[$0.key] ?? nil) }
  }
}

extension String {
  /// The text with long words shortened, because a name may be as long as the file.
  var withShortWords: String {
    guard utf8.count > 200 else { return self }
    return split(separator: " ", omittingEmptySubsequences: false).map { word in
      word.utf8.count > 80 ? word.prefix(57) + "..." + word.suffix(1) : word
    }.joined(separator: " ")
  }
}
