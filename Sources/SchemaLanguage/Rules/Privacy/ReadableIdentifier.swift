import Diagnostics

extension SchemaRule {
  static let readableIdentifier = SchemaRule(
    Rule(
      "CK0306", "readable-identifier", .warning,
      summary: "A field that strangers may read identifies a person",
      rationale:
        "User identifiers, device identifiers and addresses in world-readable records let anyone follow a "
        + "person across records. A grant cannot hide a single field.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Session (
            "___recordID" REFERENCE QUERYABLE,
            hostId STRING QUERYABLE,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Session (
            "___recordID" REFERENCE QUERYABLE,
            hostPseudonym STRING QUERYABLE,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      source: Rule.reference("schema-language", "readable-identifiers")),
    in: .lint
  ) { context, findings in
    let nouns = PersonalDataNames.nouns(of: context.parsed.recordTypes)
    for type in context.publicTypes where type.isReadByStrangers {
      for field in type.fields where PersonalDataNames.isIdentifier(field, nouns: nouns) {
        findings.report(
          "'\(type.name).\(field.name)' looks like a person's identifier, and strangers can read it",
          at: field.nameRange,
          help: "store a pseudonym that differs from record to record, or grant READ to fewer roles")
      }
    }
  }
}
