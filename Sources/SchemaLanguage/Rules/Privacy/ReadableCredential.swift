import Diagnostics

extension SchemaRule {
  static let readableCredential = SchemaRule(
    Rule(
      "CK0310", "readable-credential", .warning,
      summary: "Strangers may read a credential, or a credential is stored without encryption",
      rationale:
        "Anyone can use a token or password from a world-readable record. In a private database, an index "
        + "shows that the field is not encrypted, so CloudKit stores the credential in readable form.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Account (
            "___recordID" REFERENCE QUERYABLE,
            accessToken STRING,
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        RECORD TYPE CD_Login (
            CD_password STRING QUERYABLE SEARCHABLE SORTABLE
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Account (
            "___recordID" REFERENCE QUERYABLE,
            accessToken STRING,
            GRANT CREATE TO "_icloud",
            GRANT READ, WRITE TO "_creator"
        );
        RECORD TYPE CD_Login (
            CD_secret ENCRYPTED STRING
        );
        """,
      source: Rule.reference("schema-language", "readable-identifiers")),
    in: .lint
  ) { context, findings in
    for type in context.parsed.recordTypes {
      let isRead = context.databases[type] == .public && type.isReadByStrangers
      for field in type.fields where isRead || field.indexes.contains(.searchable) {
        guard CredentialFields.isOne(field) else { continue }
        let problem =
          isRead ? "strangers can read it" : "it is stored without encryption, with a search index"
        findings.report(
          "'\(type.name).\(field.name)' looks like a credential, and \(problem)", at: field.nameRange,
          help: isRead
            ? "keep credentials in the Keychain or in an ENCRYPTED field of a private type"
            : "declare a new ENCRYPTED field: the encryption of a field that exists cannot be changed")
      }
    }
  }
}

/// Recognizes fields that hold a credential, by name and type.
private enum CredentialFields {
  private static let words: Set<String> = [
    "credential", "password", "passwd", "passcode", "passphrase", "apikey", "privatekey", "accesstoken",
    "authtoken", "refreshtoken",
  ]
  private static let keys: Set<String> = ["api", "private", "secret", "access", "encryption", "signing"]

  /// Other kinds of tokens: page tokens, text tokens, design tokens.
  private static let otherTokens: Set<String> = [
    "page", "paging", "pagination", "continuation", "change", "sync", "next", "previous", "cursor",
    "cancellation", "design", "color", "lex", "lexer", "word", "history", "zone", "snapshot", "idempotency",
  ]

  private static let endings = NameEndingFilter(words.union(["token", "secret", "key"]))

  static func isOne(_ field: FieldDeclaration) -> Bool {
    guard endings.mayEnd(field.name) else { return false }
    guard field.type?.primitive == .plain(.string) || field.type?.primitive == .plain(.bytes) else {
      return false
    }
    let name = IdentifierWords(field.name).words
    // Not a credential, but a flag, number or time about one.
    guard let last = name.last, !["is", "has", "use"].contains(name[0]) else { return false }
    let before = name.dropLast().last
    switch last {
    case "token": return before.map { !otherTokens.contains($0) } ?? true
    case "secret": return true
    case "key": return before.map(keys.contains) ?? false
    default: return words.contains(last)
    }
  }
}
