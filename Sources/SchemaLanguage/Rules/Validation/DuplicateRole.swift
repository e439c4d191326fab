import Diagnostics

extension SchemaRule {
  static let duplicateRole = SchemaRule(
    Rule(
      "CK0122", "duplicate-role", .error,
      summary: "A role is created twice",
      rationale: "Role names are unique in a container.",
      example: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        CREATE ROLE Moderator;
        """,
      useInstead: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        """,
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .declaration
  ) { context, findings in
    var first: [String: Range<Int>] = [:]
    for role in context.parsed.roles {
      if let earlier = first[role.name] {
        findings.report(
          "role '\(role.name)' is created twice", at: role.nameRange, notes: [("first created here", earlier)]
        )
      } else {
        first[role.name] = role.nameRange
      }
    }
  }
}
