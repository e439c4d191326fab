import Diagnostics

/// The codes under which a diff is reported as findings.
enum DiffRules {
  static let all = [
    Rule(
      SchemaDiffDiagnostics.changed, "schema-change", .note,
      summary: "Something differs between two schemas",
      rationale:
        "A note for a plain addition, a warning for a change that risks data, an index or a permission.",
      example: "", useInstead: "", source: "Documentation/reference/schema-language.md#allowed-changes"),
    Rule(
      SchemaDiffDiagnostics.notAdditive, "not-additive", .error,
      summary: "A change removes or retypes something, which `--policy additive` does not let pass",
      rationale:
        "Production takes additions only: what it has, it has for ever. A removal merged today blocks every "
        + "deployment to come.",
      example: "", useInstead: "", source: "Documentation/reference/schema-language.md#allowed-changes"),
  ]
}
