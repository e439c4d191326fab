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
      example: example(
        above: "CREATE ROLE Moderator;", "note ENCRYPTED STRING", grants: ["Moderator": "READ, CREATE"]),
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

  static let privateFlagInPublic = SchemaRule(
    Rule(
      "CK0308", "private-flag-in-public", .warning,
      summary: "A type that strangers may read has a flag saying that a record is private",
      rationale:
        "Grants hold for a whole type: the service shows \"private\" records to everyone who may read the "
        + "type, and only the app hides them.",
      example: example(type: "Session", "isPrivate INT64", grants: ["_icloud": "CREATE", "_world": "READ"]),
      useInstead: example(
        type: "Session", "isListed INT64", grants: ["_icloud": "CREATE", "_world": "READ"]),
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
