import Diagnostics

extension SchemaRule {
  static let readableMembership = SchemaRule("CK0305", ofPublicTypesIn: .lint) { type, findings in
    guard MembershipTypeNames.isOne(type) else { return }
    for (role, who) in [(Role.world, "anyone, signed in or not,"), (Role.icloud, "any signed-in person")] {
      guard let grant = type.grant(of: .read, to: role) else { continue }
      findings.report(
        "\(who) can read who created each \(type.name) record", at: grant.range,
        help: "grant READ to \"_creator\" and to a role of your own for counting")
    }
  }

  static let readableIdentifier = SchemaRule("CK0306", ofPublicTypesIn: .lint) { type, findings in
    guard type.isReadByStrangers else { return }
    let relations = findings.context.declared
    for field in type.fields {
      let declared = relations.namesPerson(field.name, of: type.name)
      let isReference = field.type?.primitive == .reference
      guard
        declared
          ?? (!field.isSystem
            && PersonalDataNames.isIdentifier(field.name, isReference: isReference, nouns: findings.nouns))
      else { continue }
      if declared == nil, findings.fieldsOfThings.contains("\(type.name).\(field.name)") { continue }
      findings.report(
        "'\(type.name).\(field.name)' looks like a person's identifier, and strangers can read it",
        at: field.nameRange,
        help: "store a pseudonym that differs from record to record, or grant READ to fewer roles")
    }
  }

  /// The fields whose comment says, with an arrow, that they refer to a type that does not describe people.
  static func fieldsThatNameThings(_ context: RuleContext) -> Set<String> {
    let people = Set(context.parsed.recordTypes.map(\.name).filter(PersonalDataNames.isPerson))
    let stated = context.comments.map(context.parsed.statedRelations) ?? []
    let things = stated.filter { !people.contains($0.target) }
    return Set(things.map { "\($0.type).\($0.field)" })
  }

  static let readableLocation = SchemaRule("CK0309", ofPublicTypesIn: .lint) { type, findings in
    guard type.isReadByStrangers, type.mayBeAPersons else { return }
    let isPlace = IdentifierWords(type.name).contains(places)
    for field in type.fields where field.type?.primitive == .plain(.location) || isLatitude(field, of: type) {
      let name = IdentifierWords(field.name)
      // A generic name such as `g_01` has no meaning.
      guard name.words.contains(where: { $0.count > 2 }) else { continue }
      guard !isPlace || name.contains(whereabouts) else { continue }
      findings.report(
        "'\(type.name).\(field.name)' may be where a person is, and strangers can read it",
        at: field.nameRange,
        help: "store a coarse area, keep it in the private database, or grant READ to fewer roles")
    }
  }

  /// Whether the field is the first of two numbers for a place, such as `homeLatitude` and `homeLongitude`.
  private static func isLatitude(_ field: FieldDeclaration, of type: RecordTypeDeclaration) -> Bool {
    guard field.type?.primitive == .plain(.double) else { return false }
    let words = IdentifierWords(field.name).words
    guard let last = words.last, ["lat", "latitude"].contains(last) else { return false }
    return type.fields.contains { other in
      let others = IdentifierWords(other.name).words
      return others.dropLast() == words.dropLast()
        && ["lon", "lng", "long", "longitude"].contains(others.last)
    }
  }

  private static let places = NameWords.lists["types about places"]

  private static let whereabouts: Set<String> = ["home", "work", "current", "last", "live", "user", "my"]

  static let readableDetail = SchemaRule("CK0311", ofPublicTypesIn: .lint) { type, findings in
    guard type.isReadByStrangers, PersonalDataNames.isAboutPerson(type) else { return }
    for field in type.fields where PersonalDataNames.isDetail(field) {
      findings.report(
        "'\(type.name).\(field.name)' is a personal detail, and strangers can read it",
        at: field.nameRange, help: "keep it in the private database, or grant READ to fewer roles")
    }
  }

  static let readableCredential = SchemaRule("CK0310", ofTypesIn: .lint) { type, findings in
    let isPublic = findings.context.databases.isPublic(type)
    let isRead = isPublic && type.isReadByStrangers
    for field in type.fields where isRead || !field.indexes.isEmpty {
      guard CredentialFields.isOne(field, of: type) else { continue }
      let problem =
        isRead ? "strangers can read it" : "its index shows that it is stored without encryption"
      findings.report(
        "'\(type.name).\(field.name)' looks like a credential, and \(problem)", at: field.nameRange,
        help: isPublic
          ? "keep credentials in the Keychain or in an ENCRYPTED field of a private type"
          : "declare a new ENCRYPTED field: the encryption of a field that exists cannot be changed")
    }
  }
}

extension RecordTypeDeclaration {
  /// Whether users may create records of the type, not only custom roles.
  var mayBeAPersons: Bool {
    let creators = grants.filter { $0.grant.privileges.contains(.create) }.map(\.grant.role)
    return creators.isEmpty || creators.contains { SystemNames.roles.contains($0) }
  }
}

/// Recognizes record types, by their names, whose records show what their creator does: subscriptions, votes,
/// follows.
private enum MembershipTypeNames {
  private static let anywhere = ["subscri", "favorite", "favourite", "bookmark", "participa", "attend"]
  private static let anywhereWhole: Set<String> = ["membership", "follower", "following"]
  private static let last = NameWords.lists["memberships"]

  /// Words that show it only after certain other words: a `ContentBlock` does not block a user, and a `TeamMember`
  /// may be an entry that a coach wrote.
  private static let lastAfter = Dictionary(
    uniqueKeysWithValues: ["member", "block", "report", "history"].map {
      ($0, NameWords.lists["before \($0)"])
    })

  private static let offers = NameWords.lists["offers"]
  private static let money: Set<String> = ["price", "amount", "currency", "cost", "billing", "renewal"]

  static func isOne(_ type: RecordTypeDeclaration) -> Bool {
    let name = IdentifierWords(type.name)
    let meaning = name.words.filter { $0 != "record" && $0 != "entity" }
    guard !offers.contains(meaning.last ?? ""), matches(meaning) else { return false }
    return !type.fields.contains { IdentifierWords($0.name).contains(money) }
  }

  private static func matches(_ words: [String]) -> Bool {
    if words.contains(where: { word in anywhere.contains { word.hasPrefix($0) } }) { return true }
    if words.contains(where: anywhereWhole.contains) { return true }
    guard let end = words.last else { return false }
    let lastTwo = words.suffix(2).joined()
    // A content rating describes the content, not the user.
    if lastTwo == "contentrating" || lastTwo == "agerating" { return false }
    if last.contains(end) || last.contains(lastTwo) { return true }
    if words.contains("blocked") { return true }
    return lastAfter[end].map { before in words.dropLast().last.map(before.contains) ?? false } ?? false
  }
}
