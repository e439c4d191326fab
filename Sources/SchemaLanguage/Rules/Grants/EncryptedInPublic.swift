import Diagnostics

extension SchemaRule {
  static let encryptedInPublic = SchemaRule(
    Rule(
      "CK0307", "encrypted-in-public", .warning,
      summary: "A type that strangers may read has an ENCRYPTED field",
      rationale:
        "Encrypted fields work in private and shared databases only; a type granted to `_world` or `_icloud` "
        + "is meant for the public one.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            note ENCRYPTED STRING,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            note STRING,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      source: "Documentation/reference/schema-language.md#encrypted-and-number-fields"),
    in: .lint
  ) { context, findings in
    for type in context.ownTypes where type.isReadByStrangers {
      for field in type.fields where field.type?.isEncrypted == true {
        findings.report(
          "'\(field.name)' is ENCRYPTED, which the public database does not have", at: field.typeRange,
          help: "move the field to a type for the private database")
      }
    }
  }
}
