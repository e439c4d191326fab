import Diagnostics

extension SchemaRule {
  static let strangersMayWrite = SchemaRule("CK0301", ofTypesIn: .lint) { type, findings in
    for (role, who) in [(Role.icloud, "any signed-in person"), (Role.world, "anyone, signed in or not,")] {
      guard let grant = type.grant(of: .write, to: role),
        !findings.context.databases.isDeclaredPrivate(type)
      else { continue }
      findings.report(
        "\(who) can change and delete every \(type.name)", at: grant.range,
        help: "grant WRITE to \"_creator\" or to a role of your own")
    }
  }

  static let anyoneMayCreate = SchemaRule("CK0302", ofTypesIn: .lint) { type, findings in
    guard let grant = type.grant(of: .create, to: Role.world),
      !findings.context.databases.isDeclaredPrivate(type)
    else { return }
    findings.report(
      "anyone, signed in or not, may create \(type.name) records", at: grant.range,
      help: "grant CREATE to \"_icloud\"")
  }

  static let nobodyMayCreate = SchemaRule("CK0303", ofTypesIn: .lint) { type, findings in
    let databases = findings.context.databases
    let creators = type.grants.filter { $0.grant.privileges.contains(.create) }
    guard creators.allSatisfy({ $0.grant.role == Role.creator }), !SystemNames.isManaged(type.name),
      // That a type grants nothing only matters if it is stated to be public.
      type.grants.isEmpty ? databases.isPublic(type) : !databases.isDeclaredPrivate(type)
    else { return }
    findings.report(
      type.grants.isEmpty
        ? "\(type.name) has no grant, so who can create records of it is not known"
        : "no role can create \(type.name) records", at: type.nameRange,
      help: "add GRANT CREATE TO \"_icloud\", or to a role of your own")
  }

  static let creatorMayCreate = SchemaRule("CK0304", ofTypesIn: .lint) { type, findings in
    guard let grant = type.grant(of: .create, to: Role.creator), !SystemNames.isManaged(type.name),
      !findings.context.databases.isDeclaredPrivate(type)
    else { return }
    findings.report(
      Grant.creatorCreates, at: grant.range,
      help:
        "grant CREATE to \"_icloud\" if everyone who is signed in may add records, else to a role of your own",
      fix: narrower(grant))
  }

  /// The grant without CREATE; `nil` if nothing else is granted.
  private static func narrower(_ declaration: GrantDeclaration) -> (range: Range<Int>, text: String)? {
    let rest = declaration.grant.privileges.subtracting([.create])
    guard !rest.isEmpty else { return nil }
    return (declaration.range, Grant(rest, to: declaration.grant.role).text)
  }
}
