import Diagnostics

extension SchemaRule {
  static let nobodyMayCreate = SchemaRule(
    Rule(
      "CK0303", "nobody-may-create", .warning,
      summary: "No role may create records of the type",
      rationale:
        "Only the container's owner can create one, in the Console. CREATE for `_creator` does not help, "
        + "because a record that does not exist yet has no creator.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT WRITE TO "_creator",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      source: Rule.reference("schema-language", "missing-creators")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes {
      let creators = type.grants.filter { $0.grant.privileges.contains(.create) }
      guard !creators.contains(where: { $0.grant.role != Role.creator }) else { continue }
      findings.report(
        "no role can create \(type.name) records", at: type.nameRange,
        help: "add GRANT CREATE TO \"_icloud\", or to a role of your own")
    }
  }
}
