import Diagnostics

extension SchemaRule {
  static let undeclaredRole = SchemaRule(
    Rule(
      "CK0123", "undeclared-role", .error,
      summary: "A grant names a role that the file does not create",
      rationale:
        "A custom role must be created before it is granted anything; the system's roles are _creator, _icloud "
        + "and _world.",
      example: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        RECORD TYPE Feed (
            title STRING,
            GRANT WRITE TO Moderater
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        RECORD TYPE Feed (
            title STRING,
            GRANT WRITE TO Moderator
        );
        """,
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .statements
  ) { context, findings in
    let known = SystemNames.roles.union(context.parsed.roles.map(\.name))
    for type in context.parsed.recordTypes {
      for grant in type.grants where !known.contains(grant.grant.role) {
        let near = SpellingSuggestion.nearest(to: grant.grant.role, among: known.sorted(by: byteOrder))
        findings.report(
          "there is no role '\(grant.grant.role)'", at: grant.roleRange,
          help: near.map { "did you mean \(CanonicalSchemaText().names.spelled($0))?" }
            ?? "create it first: \(CanonicalSchemaText().role(grant.grant.role))",
          fix: near.map { (grant.roleRange, CanonicalSchemaText().names.spelled($0)) })
      }
    }
  }
}
