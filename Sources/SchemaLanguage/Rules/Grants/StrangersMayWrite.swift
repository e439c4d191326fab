import Diagnostics

extension SchemaRule {
  static let strangersMayWrite = SchemaRule(
    Rule(
      "CK0301", "strangers-may-write", .error,
      summary: "WRITE is granted to `_icloud` or `_world`",
      rationale:
        "WRITE allows changing and deleting every record of the type. In 2021, grants like this let a "
        + "stranger delete Apple's own News and Stocks records.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Message (
            "___recordID" REFERENCE QUERYABLE,
            text STRING,
            GRANT READ, CREATE, WRITE TO "_icloud"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Message (
            "___recordID" REFERENCE QUERYABLE,
            text STRING,
            GRANT WRITE TO "_creator",
            GRANT READ, CREATE TO "_icloud"
        );
        """,
      source: Rule.reference("schema-language", "wide-grants")),
    in: .lint
  ) { context, findings in
    for type in context.grantedTypes {
      for (role, who) in [(Role.icloud, "any signed-in person"), (Role.world, "anyone, signed in or not,")] {
        guard let grant = type.grant(of: .write, to: role) else { continue }
        findings.report(
          "\(who) can change and delete every \(type.name)", at: grant.range,
          help: "grant WRITE to \"_creator\" or to a role of your own")
      }
    }
  }
}
