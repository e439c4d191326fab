/// Recognizes, by their names, types and fields that say something about a person.
enum PersonalData {
  private static let people: Set<String> = [
    "user", "owner", "author", "creator", "host", "member", "participant", "attendee", "sender", "receiver",
    "recipient", "follower", "subscriber", "account", "person", "player", "profile", "customer", "device",
    "apple", "icloud", "createdby", "modifiedby", "submittedby", "postedby",
  ]

  /// Of these an app may have records that are not people: a bank's account, an import profile.
  private static let things: Set<String> = ["account", "profile", "host"]

  private static let references: Set<String> = ["id", "uid", "uuid", "identifier", "reference", "ref"]
  private static let longReferences: Set<String> = ["recordname", "recordid"]

  /// Ends of field names that are somebody's address by themselves.
  private static let addresses: Set<String> = ["email", "phone", "emailaddress", "phonenumber", "ipaddress"]

  private static let endings = NameEndings(references.union(longReferences).union(addresses))

  private static let details: Set<String> = [
    "birthday", "birthdate", "gender", "ethnicity", "religion", "ssn", "passportnumber",
  ]

  /// Names of what has records of its own in a schema: the last words of its types.
  static func nouns(of types: [RecordTypeDeclaration]) -> Set<String> {
    let wrappers: Set<String> = ["record", "entity", "model", "item"]
    return Set(
      types.compactMap { type in
        let words = NameWords(type.name).words
        return words.last { !wrappers.contains($0) } ?? words.last
      })
  }

  /// A field that holds who somebody is. One of type REFERENCE needs no `Id` in its name.
  ///
  /// - Parameter nouns: of the schema. `accountId` names one of its `AccountRecord`s, if it has them.
  static func isIdentifier(_ field: FieldDeclaration, nouns: Set<String>) -> Bool {
    let isReference = field.type?.primitive == .reference
    guard isReference || endings.mayEnd(field.name), SystemNames.fields[field.name] == nil else {
      return false
    }
    let name = NameWords(field.name)
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

  /// A type whose records each describe one person.
  static func isPerson(_ type: RecordTypeDeclaration) -> Bool {
    let nouns: Set<String> = [
      "user", "profile", "account", "member", "player", "customer", "patient", "employee", "participant",
    ]
    return NameWords(type.name).contains(nouns)
  }

  /// A field that says something about a person which most people do not tell strangers.
  static func isDetail(_ field: FieldDeclaration) -> Bool {
    let words = NameWords(field.name).words
    return details.contains(words.last ?? "") || details.contains(words.suffix(2).joined())
      || words.suffix(3) == ["date", "of", "birth"]
  }
}
