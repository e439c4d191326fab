import Diagnostics

extension SchemaRule {
  static let unusedRole = SchemaRule(
    Rule(
      "CK0403", "unused-role", .note,
      summary: "A role is created but granted nothing",
      rationale: "Assigning the role in the Console grants nothing.",
      example: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE TO "_icloud"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE TO "_icloud",
            GRANT WRITE TO Moderator
        );
        """,
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .lint
  ) { context, findings in
    let granted = Set(context.parsed.recordTypes.flatMap { $0.grants.map(\.grant.role) })
    for role in context.parsed.roles where !granted.contains(role.name) {
      findings.report("the role '\(role.name)' is not used in any grant", at: role.nameRange)
    }
  }
}
