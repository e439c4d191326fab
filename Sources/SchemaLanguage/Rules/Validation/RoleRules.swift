import Diagnostics

extension SchemaRule {
  static let duplicateRole = SchemaRule(
    Rule(
      "CK0122", "duplicate-role", .error,
      summary: "A role is created twice",
      rationale: "Role names are unique in a container.",
      example: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        CREATE ROLE Moderator;
        """,
      useInstead: """
        DEFINE SCHEMA
        CREATE ROLE Moderator;
        """,
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .declaration
  ) { context, findings in
    for (role, first) in context.parsed.roles.repeated(by: \.name) {
      findings.report(
        "role '\(role.name)' is created twice", at: role.nameRange,
        notes: [("first created here", first.nameRange)])
    }
  }

  static let undeclaredRole = SchemaRule(
    Rule(
      "CK0123", "undeclared-role", .error,
      summary: "A grant names a role that the file does not create",
      rationale:
        "A custom role must be created before it is granted anything; the system's roles are _creator, _icloud "
        + "and _world.",
      example: example(
        above: "CREATE ROLE Moderator;", isListed: false, "title STRING", grants: ["Moderater": "WRITE"]),
      useInstead: example(
        above: "CREATE ROLE Moderator;", isListed: false, "title STRING", grants: ["Moderator": "WRITE"]),
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .statements
  ) { context, findings in
    let known = SystemNames.roles.union(context.parsed.roles.map(\.name)).union(
      context.otherRoles.map(\.name))
    for type in context.parsed.recordTypes {
      // An empty name is an error of the syntax already.
      for grant in type.grants where !known.contains(grant.grant.role) && !grant.grant.role.isEmpty {
        let near = SpellingSuggestion.nearest(to: grant.grant.role, among: known.sorted(by: byteOrder))
        findings.report(
          "there is no role '\(grant.grant.role)'", at: grant.roleRange,
          help: near.map { "did you mean \(CanonicalSchemaText().names.spelled($0))?" }
            ?? (grant.grant.role.hasPrefix("_")
              ? #"the roles of the system are "_world", "_icloud" and "_creator""#
              : "create it first: \(CanonicalSchemaText().role(grant.grant.role))"),
          fix: near.map { (grant.roleRange, CanonicalSchemaText().names.spelled($0)) })
      }
    }
  }

  static let systemRole = SchemaRule(
    Rule(
      "CK0130", "system-role", .error,
      summary: "A CREATE ROLE statement names a role of the system",
      rationale: "The roles _creator, _icloud and _world always exist, and no other role may begin with '_'.",
      example: """
        DEFINE SCHEMA
        CREATE ROLE "_world";
        """,
      useInstead: """
        DEFINE SCHEMA
        CREATE ROLE Everyone;
        """,
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .declaration
  ) { context, findings in
    for role in context.parsed.roles where role.name.utf8.first == UInt8(ascii: "_") {
      let exists = SystemNames.roles.contains(role.name)
      findings.report(
        exists
          ? "the role '\(role.name)' always exists and cannot be created"
          : "a role's name cannot begin with '_'",
        at: role.nameRange)
    }
  }

  static let repeatedGrant = SchemaRule(
    Rule(
      "CK0129", "repeated-grant", .note,
      summary: "A record type grants the same privilege to a role twice",
      rationale: "Grants to one role add up. An exported schema has one line for each role.",
      example: example(isListed: false, "title STRING", grants: ["_world": "READ", "_world": "READ"]),
      useInstead: example(isListed: false, "title STRING", grants: ["_world": "READ"]),
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
