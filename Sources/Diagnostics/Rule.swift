/// The documentation of a diagnostic code, for `explain CODE`, `Documentation/Rules.md` and SARIF's rule table.
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
  /// Input that triggers the rule; empty for a rule that no short input can trigger.
  public let example: String
  /// The same input without the finding.
  public let useInstead: String
  /// What to do about a finding; empty if the examples show it.
  public let help: String
  /// The source of the rule, such as `Documentation/reference/catalog.md#slugs`.
  public let source: String
  /// Codes of earlier versions whose rules were merged into this one.
  public let aliases: [String]

  public init(
    _ code: String, _ name: String, _ severity: Diagnostic.Severity, summary: String, rationale: String,
    example: String, useInstead: String, help: String = "", source: String, aliases: [String] = []
  ) {
    self.code = code
    self.name = name
    self.severity = severity
    self.summary = summary
    self.rationale = rationale
    self.example = example
    self.useInstead = useInstead
    self.help = help
    self.source = source
    self.aliases = aliases
  }

  /// The source of a rule: a section of a document in `Documentation/reference`.
  public static func reference(_ document: String, _ section: String) -> String {
    "Documentation/reference/\(document).md#\(section)"
  }
}
