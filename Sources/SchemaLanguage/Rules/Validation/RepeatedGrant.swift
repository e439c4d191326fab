import Diagnostics

extension SchemaRule {
  static let repeatedGrant = SchemaRule(
    Rule(
      "CK0129", "repeated-grant", .note,
      summary: "A record type grants the same privilege to a role twice",
      rationale: "Grants to one role add up; an export prints one line for each role.",
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
      source: "schema-language.md section 1.6"),
    in: .declaration
  ) { context, findings in
    for type in context.parsed.recordTypes where type.grants.count > 1 {
      var granted: [String: Set<Privilege>] = [:]
      for grant in type.grants {
        let again = granted[grant.grant.role, default: []].intersection(grant.grant.privileges)
        if let privilege = Privilege.allCases.first(where: again.contains) {
          findings.report(
            "\(privilege.rawValue) is granted to '\(grant.grant.role)' already", at: grant.range)
        }
        granted[grant.grant.role, default: []].formUnion(grant.grant.privileges)
      }
    }
  }
}
