import Diagnostics

extension SchemaRule {
  static let systemRole = SchemaRule(
    Rule(
      "CK0130", "system-role", .error,
      summary: "A CREATE ROLE statement names a role of the system",
      rationale: "The roles _creator, _icloud and _world always exist, and no other role may begin with '_'.",
      example: """
        DEFINE SCHEMA
        CREATE ROLE "_world";
        """,
      useInstead: """
        DEFINE SCHEMA
        CREATE ROLE Everyone;
        """,
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .declaration
  ) { context, findings in
    for role in context.parsed.roles where role.name.utf8.first == UInt8(ascii: "_") {
      let exists = SystemNames.roles.contains(role.name)
      findings.report(
        exists
          ? "the role '\(role.name)' always exists and cannot be created"
          : "a role's name cannot begin with '_'",
        at: role.nameRange)
    }
  }
}
