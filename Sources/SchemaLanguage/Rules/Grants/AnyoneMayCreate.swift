import Diagnostics

extension SchemaRule {
  static let anyoneMayCreate = SchemaRule(
    Rule(
      "CK0302", "anyone-may-create", .warning,
      summary: "CREATE is granted to `_world`",
      rationale:
        "A record needs a creator, so users who are not signed in cannot create one. The grant is useless "
        + "at best, and no known exported schema has it.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT READ, CREATE TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .lint
  ) { context, findings in
    for type in context.grantedTypes {
      guard let grant = type.grant(of: .create, to: Role.world) else { continue }
      findings.report(
        "anyone, signed in or not, may create \(type.name) records", at: grant.range,
        help: "grant CREATE to \"_icloud\"")
    }
  }
}
