import Diagnostics

extension SchemaRule {
  static let creatorMayCreate = SchemaRule(
    Rule(
      "CK0304", "creator-may-create", .note,
      summary: "CREATE is granted to `_creator`",
      rationale: "A record that does not exist yet has no creator, so the grant allows nothing.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE, WRITE TO "_creator",
            GRANT CREATE TO "_icloud"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud"
        );
        """,
      source: "Documentation/reference/schema-language.md#missing-creators"),
    in: .lint
  ) { context, findings in
    for type in context.ownTypes {
      guard let grant = type.grant(of: .create, to: Role.creator) else { continue }
      findings.report(
        "CREATE for \"_creator\" allows nothing: a new \(type.name) has no creator yet", at: grant.range,
        help: "grant CREATE to \"_icloud\"")
    }
  }
}
