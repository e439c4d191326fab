import Diagnostics

/// The codes under which a diff is reported as findings.
enum DiffRules {
  static let all = [
    Rule(
      SchemaDiffDiagnostics.changed, "schema-change", .note,
      summary: "Two schemas differ",
      rationale:
        "A note for a plain addition, a warning for a change that risks data, an index or a permission.",
      example: "", useInstead: "", source: Rule.reference("schema-language", "allowed-changes")),
    Rule(
      SchemaDiffDiagnostics.notAdditive, "not-additive", .error,
      summary: "A change removes something or changes a type, which `--policy additive` forbids",
      rationale:
        "Production accepts additions only. A removal that is merged today makes every later deployment "
        + "fail.",
      example: "", useInstead: "", source: Rule.reference("schema-language", "allowed-changes")),
  ]
}
