/// What a diagnostic code means: the material of the documentation, of `--explain` and of SARIF's rule table.
public struct Rule: Sendable, Hashable {
  /// `CK0203`
  public let code: String
  /// A short name in kebab case: `missing-record-id-index`.
  public let name: String
  public let severity: Diagnostic.Severity
  /// One sentence: what is found.
  public let summary: String
  /// Why it matters.
  public let rationale: String
  /// Text that triggers the rule.
  public let example: String
  /// The same text done right.
  public let useInstead: String
  /// Where the rule comes from, such as "schema-language.md section 1.4".
  public let source: String

  public init(
    _ code: String, _ name: String, _ severity: Diagnostic.Severity, summary: String, rationale: String,
    example: String, useInstead: String, source: String
  ) {
    self.code = code
    self.name = name
    self.severity = severity
    self.summary = summary
    self.rationale = rationale
    self.example = example
    self.useInstead = useInstead
    self.source = source
  }
}
