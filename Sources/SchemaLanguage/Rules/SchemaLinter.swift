public import Diagnostics

/// Whether a text is a schema that can be imported: syntax, and the meaning of each declaration.
public enum SchemaValidator {
  /// Every error of syntax and meaning, in reading order.
  public static func diagnostics(_ parsed: ParsedSchema) -> [Diagnostic] {
    let found = parsed.diagnostics + semantic(RuleContext(parsed: parsed))
    return found.isEmpty ? [] : found.sortedForReading()
  }

  static func semantic(_ context: RuleContext) -> [Diagnostic] {
    let isWhole = !context.parsed.diagnostics.hasErrors
    let lostNothing = isWhole || context.parsed.hasEveryStatement
    let rules = SchemaRules.validation.filter { rule in
      switch rule.phase {
      case .declaration: true
      case .statements: lostNothing
      case .file, .lint: isWhole
      }
    }
    return rules.diagnostics(context)
  }
}

/// Whether a valid schema is also a good one.
public enum SchemaLinter {
  /// Everything ``SchemaValidator`` finds and, when that is no error, what the lint rules find, without what
  /// the text's own `celestra:ignore` comments suppress.
  ///
  /// - Parameters:
  ///   - queries: the queries an app makes, checked against the indexes.
  ///   - baseline: the schema in place, checked for what this one would drop without a word.
  public static func diagnostics(
    _ parsed: ParsedSchema, queries: QueryManifest? = nil, baseline: Schema? = nil
  ) -> [Diagnostic] {
    let context = RuleContext(parsed: parsed, queries: queries, baseline: baseline)
    let valid = SchemaValidator.diagnostics(parsed)
    guard !valid.hasErrors else { return valid }
    let found = valid + SchemaRules.lint.diagnostics(context)
    return Suppressions(in: parsed).apply(to: found).sortedForReading()
  }
}
