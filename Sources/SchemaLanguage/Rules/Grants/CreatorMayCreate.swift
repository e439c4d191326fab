import Diagnostics

extension SchemaRule {
  static let creatorMayCreate = SchemaRule(
    Rule(
      "CK0304", "creator-may-create", .note,
      summary: "CREATE is granted to `_creator`",
      rationale: "A record that does not exist yet has no creator, so the grant allows nothing.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT CREATE, WRITE TO "_creator",
            GRANT CREATE TO "_icloud"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            "___recordID" REFERENCE QUERYABLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud"
        );
        """,
      source: Rule.reference("schema-language", "missing-creators")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes {
      guard let grant = type.grant(of: .create, to: Role.creator) else { continue }
      findings.report(
        "CREATE for \"_creator\" allows nothing: a record that does not exist yet has no creator",
        at: grant.range,
        help: "grant CREATE to \"_icloud\"", fix: narrower(grant))
    }
  }

  /// The grant without CREATE; `nil` if nothing else is granted.
  private static func narrower(_ declaration: GrantDeclaration) -> (range: Range<Int>, text: String)? {
    let rest = declaration.grant.privileges.subtracting([.create])
    guard !rest.isEmpty else { return nil }
    return (declaration.range, CanonicalSchemaText().grant(Grant(rest, to: declaration.grant.role)))
  }
}
