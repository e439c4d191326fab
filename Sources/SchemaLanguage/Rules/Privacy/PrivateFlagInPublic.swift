import Diagnostics

extension SchemaRule {
  static let privateFlagInPublic = SchemaRule(
    Rule(
      "CK0308", "private-flag-in-public", .warning,
      summary: "A type that strangers may read has a flag saying that a record is private",
      rationale:
        "Grants hold for a whole type: the service shows \"private\" records to everyone who may read the "
        + "type, and only the app hides them.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Session (
            "___recordID" REFERENCE QUERYABLE,
            isPrivate INT64,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Session (
            "___recordID" REFERENCE QUERYABLE,
            isListed INT64,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      source: Rule.reference("schema-language", "readable-identifiers")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes where type.isReadByStrangers {
      for field in type.fields where endings.mayEnd(field.name) && names.contains(field.name.lowercased()) {
        findings.report(
          "'\(type.name).\(field.name)' does not keep a record private: strangers can read it",
          at: field.nameRange,
          help: "keep private records in the private or a shared database")
      }
    }
  }

  private static let names: Set<String> = ["isprivate", "private", "issecret", "isconfidential"]
  private static let endings = NameEndingFilter(names)
}
