import Diagnostics

extension SchemaRule {
  static let readableDetail = SchemaRule(
    Rule(
      "CK0311", "readable-personal-detail", .warning,
      summary: "Strangers can read a person's birthday, gender or the like",
      rationale:
        "Found in types that describe a person, such as a profile. Each record also names its creator, so the detail "
        + "is tied to one person.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE UserProfile (
            "___recordID" REFERENCE QUERYABLE,
            birthday TIMESTAMP,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE UserProfile (
            "___recordID" REFERENCE QUERYABLE,
            isAdult INT64,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      source: Rule.reference("schema-language", "readable-identifiers")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes where type.isReadByStrangers && PersonalDataNames.isPerson(type) {
      for field in type.fields where PersonalDataNames.isDetail(field) {
        findings.report(
          "'\(type.name).\(field.name)' is a personal detail, and strangers can read it",
          at: field.nameRange, help: "keep it in the private database, or grant READ to fewer roles")
      }
    }
  }
}
