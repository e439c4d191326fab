import Diagnostics

extension SchemaRule {
  static let droppedManagedType = SchemaRule(
    Rule(
      "CK0404", "dropped-managed-type", .warning,
      summary: "The current schema has a type managed by CloudKit that this file leaves out",
      rationale:
        "An import replaces the whole schema, and the service refuses one that would delete `Users` or "
        + "`cloudkit.share`: \"invalid attempt to delete cloudkit managed record type\". `schema apply` adds them "
        + "by itself. Found with `--baseline`.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE TO "_icloud"
        );
        // baseline: RECORD TYPE Users
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Users (
            roles LIST<INT64>,
            GRANT WRITE TO "_creator",
            GRANT READ TO "_world"
        );
        // baseline: RECORD TYPE Users
        """,
      source: Rule.reference("schema-language", "allowed-changes")),
    in: .lint
  ) { context, findings in
    guard let baseline = context.baseline else { return }
    let declared = Set(context.parsed.recordTypes.map(\.name))
    for type in baseline.recordTypes where SystemNames.isManaged(type.name) && !declared.contains(type.name) {
      findings.report(
        "record type '\(type.name)' is missing, and CloudKit refuses to delete it",
        at: 0..<min(13, context.parsed.source.bytes.count), help: "schema merge keeps it")
    }
  }
}
