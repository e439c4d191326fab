import Diagnostics

extension SchemaRule {
  static let strangersMayWrite = SchemaRule(
    Rule(
      "CK0301", "strangers-may-write", .error,
      summary: "WRITE is granted to `_icloud` or `_world`",
      rationale:
        "WRITE allows changing and deleting every record of the type. In 2021, grants like this let a "
        + "stranger delete Apple's own News and Stocks records.",
      example: example(type: "Message", "text STRING", grants: ["_icloud": "READ, CREATE, WRITE"]),
      useInstead: example(
        type: "Message", "text STRING", grants: ["_creator": "WRITE", "_icloud": "READ, CREATE"]),
      source: Rule.reference("schema-language", "wide-grants")),
    in: .lint
  ) { context, findings in
    for type in context.grantedTypes {
      for (role, who) in [(Role.icloud, "any signed-in person"), (Role.world, "anyone, signed in or not,")] {
        guard let grant = type.grant(of: .write, to: role) else { continue }
        findings.report(
          "\(who) can change and delete every \(type.name)", at: grant.range,
          help: "grant WRITE to \"_creator\" or to a role of your own")
      }
    }
  }

  static let anyoneMayCreate = SchemaRule(
    Rule(
      "CK0302", "anyone-may-create", .warning,
      summary: "CREATE is granted to `_world`",
      rationale:
        "A record needs a creator, so users who are not signed in cannot create one. The grant is useless "
        + "at best, and no known exported schema has it.",
      example: example(grants: ["_world": "READ, CREATE"]),
      useInstead: example(grants: ["_icloud": "CREATE", "_world": "READ"]),
      source: Rule.reference("schema-language", "roles-and-system-types")),
    in: .lint
  ) { context, findings in
    for type in context.grantedTypes {
      guard let grant = type.grant(of: .create, to: Role.world) else { continue }
      findings.report(
        "anyone, signed in or not, may create \(type.name) records", at: grant.range,
        help: "grant CREATE to \"_icloud\"")
    }
  }

  static let nobodyMayCreate = SchemaRule(
    Rule(
      "CK0303", "nobody-may-create", .warning,
      summary: "No role may create records of the type",
      rationale:
        "Only the container's owner can create one, in the Console. CREATE for `_creator` does not help, "
        + "because a record that does not exist yet has no creator.",
      example: example(grants: ["_creator": "WRITE", "_world": "READ"]),
      useInstead: example(grants: ["_creator": "WRITE", "_icloud": "CREATE", "_world": "READ"]),
      source: Rule.reference("schema-language", "missing-creators")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes {
      let creators = type.grants.filter { $0.grant.privileges.contains(.create) }
      guard !creators.contains(where: { $0.grant.role != Role.creator }) else { continue }
      findings.report(
        "no role can create \(type.name) records", at: type.nameRange,
        help: "add GRANT CREATE TO \"_icloud\", or to a role of your own")
    }
  }

  static let creatorMayCreate = SchemaRule(
    Rule(
      "CK0304", "creator-may-create", .note,
      summary: "CREATE is granted to `_creator`",
      rationale: "A record that does not exist yet has no creator, so the grant allows nothing.",
      example: example(grants: ["_creator": "CREATE, WRITE", "_icloud": "CREATE"]),
      useInstead: example(grants: ["_creator": "WRITE", "_icloud": "CREATE"]),
      source: Rule.reference("schema-language", "missing-creators")),
    in: .lint
  ) { context, findings in
    for type in context.publicTypes {
      guard let grant = type.grant(of: .create, to: Role.creator) else { continue }
      findings.report(
        Grant.creatorCreates, at: grant.range,
        help:
          "grant CREATE to \"_icloud\" if everyone who is signed in may add records, else to a role of your own",
        fix: narrower(grant))
    }
  }

  /// The grant without CREATE; `nil` if nothing else is granted.
  private static func narrower(_ declaration: GrantDeclaration) -> (range: Range<Int>, text: String)? {
    let rest = declaration.grant.privileges.subtracting([.create])
    guard !rest.isEmpty else { return nil }
    return (declaration.range, CanonicalSchemaText().grant(Grant(rest, to: declaration.grant.role)))
  }
}
