import Diagnostics

extension SchemaRule {
  static let encryptedInPublic = SchemaRule(
    Rule(
      "CK0307", "encrypted-in-public", .warning,
      summary: "A type of the public database has an ENCRYPTED field",
      rationale:
        "Encrypted fields exist in private and shared databases only. A type counts as public if a comment "
        + "or celestra-admin.json says so, or if it grants something to a role of your own, because custom "
        + "roles exist in the public database only. Do not remove ENCRYPTED to silence this warning: a "
        + "field cannot be encrypted later.",
      example: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            note ENCRYPTED STRING,
            GRANT READ, CREATE TO Moderator
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT READ, CREATE TO Moderator
        );
        // celestra:private each person's own notes
        RECORD TYPE FeedNote (
            note ENCRYPTED STRING
        );
        """,
      source: Rule.reference("schema-language", "encrypted-and-number-fields")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes {
      for field in type.fields where field.type?.isEncrypted == true {
        findings.report(
          "the field '\(field.name)' is ENCRYPTED, which the public database does not support",
          at: field.typeRange,
          help:
            "keep it encrypted, in a type of the private database; if this type is private, say so with a "
            + "comment: // celestra:private")
      }
    }
  }
}
