import Diagnostics

extension SchemaRule {
  static let droppedSystemIndex = SchemaRule(
    Rule(
      "CK0206", "dropped-system-index", .warning,
      summary: "The current schema indexes a system field that this file leaves out",
      rationale:
        "If the line of a system field is left out, the field stays, but the service removes its index and "
        + "does not report that. Found with `--baseline`.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE TO "_icloud"
        );
        // baseline: "___createTime" TIMESTAMP SORTABLE
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___createTime" TIMESTAMP SORTABLE,
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE TO "_icloud"
        );
        // baseline: "___createTime" TIMESTAMP SORTABLE
        """,
      source: Rule.reference("schema-language", "system-fields")),
    in: .lint
  ) { context, findings in
    for type in context.parsed.recordTypes {
      for old in context.baseline?[recordType: type.name]?.fields ?? [] where old.isSystem {
        let now = type.field(old.name)?.indexes ?? []
        guard !old.indexes.isSubset(of: now) else { continue }
        findings.report(
          "importing this schema removes an index of '\(type.name)': \"\(old.name)\" \(old.declaration)",
          at: type.field(old.name)?.range ?? type.nameRange,
          help: "add the line \(CanonicalSchemaText().field(old)),")
      }
    }
  }
}
