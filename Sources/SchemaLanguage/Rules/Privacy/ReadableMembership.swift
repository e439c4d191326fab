import Diagnostics

extension SchemaRule {
  static let readableMembership = SchemaRule(
    Rule(
      "CK0305", "readable-membership", .warning,
      summary: "Strangers may read records that show what their creators subscribed to, joined or rated",
      rationale:
        "Everyone who may read a record sees its creator's user record name. For subscriptions, votes or "
        + "bookmarks, that shows what each person does, even if the record's own fields are hashed.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE FeedSubscription (
            "___recordID" REFERENCE QUERYABLE,
            feedRecordName STRING QUERYABLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE FeedSubscription (
            "___recordID" REFERENCE QUERYABLE,
            feedRecordName STRING QUERYABLE,
            GRANT READ, WRITE TO "_creator",
            GRANT CREATE TO "_icloud"
        );
        """,
      source: Rule.reference("schema-language", "readable-creators")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes where MembershipTypeNames.isOne(type) {
      for role in [Role.world, Role.icloud] {
        guard let grant = type.grant(of: .read, to: role) else { continue }
        findings.report(
          "everyone can read who created each \(type.name) record", at: grant.range,
          help: "grant READ to \"_creator\" and to a role of your own for counting")
      }
    }
  }
}
