/// Recognizes types and fields with personal data by their names.
enum PersonalDataNames {
  private static let people: Set<String> = [
    "user", "owner", "author", "creator", "host", "member", "participant", "attendee", "sender", "receiver",
    "recipient", "follower", "subscriber", "account", "person", "player", "profile", "customer", "device",
    "apple", "icloud", "createdby", "modifiedby", "submittedby", "postedby",
  ]

  /// Words that may also mean things: a bank account, an import profile.
  private static let things: Set<String> = ["account", "profile", "host"]

  private static let references: Set<String> = ["id", "uid", "uuid", "identifier", "reference", "ref"]
  private static let longReferences: Set<String> = ["recordname", "recordid"]

  /// Endings of field names that identify a person by themselves, such as an email address.
  private static let addresses: Set<String> = ["email", "phone", "emailaddress", "phonenumber", "ipaddress"]

  private static let endings = NameEndingFilter(references.union(longReferences).union(addresses))

  private static let details: Set<String> = [
    "birthday", "birthdate", "gender", "ethnicity", "religion", "ssn", "passportnumber",
  ]

  /// The last words of the schema's type names.
  static func nouns(of types: [RecordTypeDeclaration]) -> Set<String> {
    let wrappers: Set<String> = ["record", "entity", "model", "item"]
    return Set(
      types.compactMap { type in
        let words = IdentifierWords(type.name).words
        return words.last { !wrappers.contains($0) } ?? words.last
      })
  }

  /// Whether the field identifies a person. A REFERENCE needs no `Id` in its name.
  ///
  /// - Parameter nouns: the result of ``nouns(of:)``. If the schema has a type such as `AccountRecord`, `accountId`
  ///   refers to one of its records, not to a person.
  static func isIdentifier(_ field: FieldDeclaration, nouns: Set<String>) -> Bool {
    let isReference = field.type?.primitive == .reference
    guard isReference || endings.mayEnd(field.name), !field.isSystem else {
      return false
    }
    let name = IdentifierWords(field.name)
    if name.words == ["uid"] || addresses.contains(name.last) || addresses.contains(name.lastTwo) {
      return true
    }
    func isPerson(_ words: ArraySlice<String>) -> Bool {
      guard let last = words.last else { return false }
      let named = [last, words.suffix(2).joined()].first(where: people.contains)
      return named.map { !(things.contains($0) && nouns.contains($0)) } ?? false
    }
    if isReference, isPerson(name.words[...]) { return true }
    if references.contains(name.last) { return isPerson(name.words.dropLast()) }
    if longReferences.contains(name.lastTwo) { return isPerson(name.words.dropLast(2)) }
    // Written without a capital: `userid`.
    return references.contains { reference in
      name.last.hasSuffix(reference) && isPerson([String(name.last.dropLast(reference.count))])
    }
  }

  /// Whether each record of the type describes a person.
  static func isPerson(_ type: RecordTypeDeclaration) -> Bool {
    let nouns: Set<String> = [
      "user", "profile", "account", "member", "player", "customer", "patient", "employee", "participant",
    ]
    return IdentifierWords(type.name).contains(nouns)
  }

  /// Whether the field has a personal detail, such as a birthday.
  static func isDetail(_ field: FieldDeclaration) -> Bool {
    let words = IdentifierWords(field.name).words
    return details.contains(words.last ?? "") || details.contains(words.suffix(2).joined())
      || words.suffix(3) == ["date", "of", "birth"]
  }
}
