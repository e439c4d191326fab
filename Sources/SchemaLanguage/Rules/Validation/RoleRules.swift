import Diagnostics

extension SchemaRule {
  static let duplicateRole = SchemaRule("CK0122", in: .declaration) { context, findings in
    for (role, first) in context.parsed.roles.repeated(by: \.name) {
      findings.report(
        "role '\(role.name)' is created twice", at: role.nameRange,
        notes: [("first created here", first.nameRange)])
    }
  }

  static let undeclaredRole = SchemaRule("CK0123", in: .statements) { context, findings in
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

  static let systemRole = SchemaRule("CK0130", in: .declaration) { context, findings in
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
    "CK0129", in: .declaration,
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
