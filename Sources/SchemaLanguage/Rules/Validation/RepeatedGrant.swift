import Diagnostics

extension SchemaRule {
  static let repeatedGrant = SchemaRule(
    Rule(
      "CK0129", "repeated-grant", .note,
      summary: "A record type grants the same privilege to a role twice",
      rationale: "Grants to one role add up. An exported schema has one line for each role.",
      example: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            title STRING,
            GRANT READ TO "_world",
            GRANT READ TO "_world"
        );
        """,
      useInstead: """
        DEFINE SCHEMA
        RECORD TYPE Feed (
            title STRING,
            GRANT READ TO "_world"
        );
        """,
      source: Rule.reference("schema-language", "canonical-form")),
    in: .declaration,
    eachRecordType: { type, findings in
      guard type.grants.count > 1 else { return }
      var granted: [String: EnumSet<Privilege>] = [:]
      for declaration in type.grants {
        let (role, privileges) = (declaration.grant.role, declaration.grant.privileges)
        if let again = granted[role]?.intersection(privileges).first(where: { _ in true }) {
          findings.report("\(again.rawValue) is already granted to '\(role)'", at: declaration.range)
        }
        granted[role, default: []].formUnion(privileges)
      }
    })
}
