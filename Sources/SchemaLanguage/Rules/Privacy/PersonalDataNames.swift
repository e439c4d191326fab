import Diagnostics

/// The words of `Words.txt`.
enum NameWords {
  static let lists = WordLists(PackageResources.Words_txt)
}

enum PersonalDataNames {
  private static let people = NameWords.lists["people"]

  /// Words that may also mean things: a bank account, an import profile.
  private static let things: Set<String> = ["account", "profile", "host"]

  private static let references: Set<String> = ["id", "uid", "uuid", "identifier", "reference", "ref"]
  private static let longReferences: Set<String> = ["recordname", "recordid"]

  /// Endings of field names that identify a person by themselves, such as an email address.
  private static let addresses: Set<String> = ["email", "phone", "emailaddress", "phonenumber", "ipaddress"]

  private static let endings = NameEndingFilter(references.union(longReferences).union(addresses))
  private static let endingsOfReferences = NameEndingFilter(
    references.union(longReferences).union(addresses).union(people))

  private static let details = NameWords.lists["personal details"]
  private static let endingsOfDetails = NameEndingFilter(details.union(["birth"]))

  /// The words that name records of the schema, not people: of a type such as `AccountRecord`, and of those that only the
  /// app's own roles create and that are not about people, such as the speakers of a program.
  static func nouns(of types: [RecordType]) -> Set<String> {
    let wrappers: Set<String> = ["record", "entity", "model", "item"]
    return Set(
      types.compactMap { type in
        let words = IdentifierWords(type.name).words
        guard let noun = words.last(where: { !wrappers.contains($0) }) ?? words.last else { return nil }
        let isCatalog = !type.isMadeByUsers && !SystemNames.isManaged(type.name) && !isPerson(type.name)
        return isCatalog || things.contains(noun) ? noun : nil
      })
  }

  static func nouns(of parsed: ParsedSchema) -> Set<String> {
    nouns(of: parsed.recordTypes.map { RecordType($0.name, grants: $0.grants.map(\.grant)) })
  }

  /// Whether the name is that of something and its id, such as `eventID` and `feedRecordName`.
  static func isID(_ field: String) -> Bool {
    let name = IdentifierWords(field)
    return references.contains(name.last) && name.words.count > 1
      || longReferences.contains(name.lastTwo) && name.words.count > 2
  }

  /// Whether the field identifies a person. A REFERENCE needs no `Id` in its name.
  ///
  /// - Parameter nouns: the result of ``nouns(of:)``: `accountId` refers to an `AccountRecord`, not to a person.
  static func isIdentifier(
    _ field: String, isReference: Bool, nouns: @autoclosure () -> Set<String>
  ) -> Bool {
    guard (isReference ? endingsOfReferences : endings).mayEnd(field) else { return false }
    let name = IdentifierWords(field)
    if name.words == ["uid"] || addresses.contains(name.last) || addresses.contains(name.lastTwo) {
      return true
    }
    func isPerson(_ words: ArraySlice<String>) -> Bool { isRole(words, nouns()) }
    if isReference, isPerson(name.words[...]) { return true }
    if references.contains(name.last) { return isPerson(name.words.dropLast()) }
    if longReferences.contains(name.lastTwo) { return isPerson(name.words.dropLast(2)) }
    // Written without a capital: `userid`.
    return references.contains { reference in
      name.last.hasSuffix(reference) && isPerson([String(name.last.dropLast(reference.count))])
    }
  }

  private static func isRole(
    _ words: ArraySlice<String>, _ nouns: @autoclosure () -> Set<String>
  ) -> Bool {
    guard let last = words.last else { return false }
    let named = [last, (words.dropLast().last ?? "") + last].first(where: people.contains)
    return named.map { !nouns().contains($0) } ?? false
  }

  /// Whether the field is called after a role only, as `host` and `sessionOrganizer` are: the value can be a name that
  /// users see, a byline, or what stands for a person.
  static func isRole(_ field: String, nouns: Set<String>) -> Bool {
    let name = IdentifierWords(field)
    return isRole(name.words[...], nouns) && !onlyBeforeID.contains(name.last)
  }

  private static let onlyBeforeID = NameWords.lists["people only before id"]

  /// Whether the field is called after who wrote something. Readers see the value, so it is mostly a name.
  static func isByline(_ field: String) -> Bool {
    NameWords.lists["bylines"].contains(IdentifierWords(field).last)
  }

  /// Whether the field holds a name that users see, such as `hostName` and `nickname`.
  static func isShownName(_ field: String, nouns: Set<String>) -> Bool {
    let name = IdentifierWords(field)
    return shownNames.contains(name.last) || shownNames.contains(name.lastTwo)
      || name.last == "name" && isRole(name.words.dropLast(), nouns)
  }

  private static let shownNames = NameWords.lists["shown names"]

  static func isPerson(_ type: String) -> Bool {
    IdentifierWords(type).contains(NameWords.lists["types about people"])
  }

  /// Whether details such as a birthday are a person's: that of whom the type is called after, or else of the user who
  /// creates the record.
  static func isAboutPerson(_ type: RecordTypeDeclaration) -> Bool {
    isPerson(type.name) || type.mayBeAPersons && !IdentifierWords(type.name).contains(notPeople)
  }

  private static let notPeople = NameWords.lists["types about things"]
    .union(NameWords.lists["types about places"]).union(NameWords.lists["types with details of others"])

  static func isDetail(_ field: FieldDeclaration) -> Bool {
    guard endingsOfDetails.mayEnd(field.name) else { return false }
    let words = IdentifierWords(field.name).words
    return details.contains(words.last ?? "") || details.contains(words.suffix(2).joined())
      || words.suffix(3) == ["date", "of", "birth"]
  }
}

/// The words of an identifier in lower case and singular, without Core Data's prefix: `CD_userIDs` is `user id`,
/// `FeedSubscription` is `feed subscription`.
struct IdentifierWords {
  let words: [String]

  init(_ name: String) {
    let letters = Array((name.hasPrefix("CD_") ? name.dropFirst(3) : name[...]).utf8)
    var words: [String] = []
    var word: [UInt8] = []
    for (index, letter) in letters.enumerated() where letter.isASCIILetter {
      if !word.isEmpty, Self.startsWord(index, letters) {
        words.append(Self.singular(word))
        word.removeAll(keepingCapacity: true)
      }
      word.append(letter | 0x20)
    }
    if !word.isEmpty { words.append(Self.singular(word)) }
    self.words = words
  }

  var last: String { words.last ?? "" }
  /// The last two words as one: `record name` is `recordname`.
  var lastTwo: String { (words.dropLast().last ?? "") + last }

  func contains(_ any: Set<String>) -> Bool { words.contains { any.contains($0) } }

  /// Whether a word starts at the index. The plural `s` of an abbreviation, as in `IDs`, belongs to its word.
  private static func startsWord(_ index: Int, _ letters: [UInt8]) -> Bool {
    guard index > 0, letters[index - 1].isASCIILetter else { return true }
    let (letter, before) = (letters[index], letters[index - 1])
    if letter.isCapital, !before.isCapital { return true }
    guard letter.isCapital, index + 1 < letters.count else { return false }
    let next = letters[index + 1]
    let isPlural =
      next == UInt8(ascii: "s") && (index + 2 == letters.count || !letters[index + 2].isSmall)
    return next.isSmall && !isPlural
  }

  /// The word without the `s` of a plural, which `us`, `ss` and `is` are not.
  private static func singular(_ word: [UInt8]) -> String {
    let isPlural =
      word.count > 2 && word[word.count - 1] == UInt8(ascii: "s")
      && !"usi".utf8.contains(word[word.count - 2])
    return String(decoding: isPlural ? word.dropLast() : word[...], as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isCapital: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
  fileprivate var isSmall: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
}

/// A filter by the last two letters, to skip most names quickly. What follows them, as in `userId_2`, does not count.
struct NameEndingFilter {
  /// By the number that two letters make.
  private var endings = Array(repeating: false, count: 1024)

  init(_ words: some Sequence<String>) { for word in words { endings[Self.ending(of: word)] = true } }

  func mayEnd(_ name: String) -> Bool { endings[Self.ending(of: name)] }

  private static func ending(of name: String) -> Int {
    var name = name
    return name.withUTF8 { bytes in
      var end = bytes.count
      while end > 0, !bytes[end - 1].isASCIILetter { end -= 1 }
      let s = UInt8(ascii: "s")
      if end > 2, bytes[end - 1] | 0x20 == s, bytes[end - 2] | 0x20 != s { end -= 1 }
      return end < 2 ? 0 : Int(bytes[end - 2] & 31) << 5 | Int(bytes[end - 1] & 31)
    }
  }
}

/// Which STRING and REFERENCE fields of a schema may name a person, by `schema.relations` of the project and by the names
/// of the fields (Documentation/Privacy.md#fields-that-name-a-person).
package struct PersonFields: Sendable {
  private let nouns: Set<String>
  private let declared: [String: DeclaredRelation]

  /// - Parameter relations: `schema.relations` of the project, without unknown ones (``LintConfiguration/unknownRelations(in:)``).
  package init(_ schema: Schema, _ relations: [DeclaredRelation] = []) {
    nouns = PersonalDataNames.nouns(of: schema.recordTypes)
    declared = relations.byField
  }

  /// The fields that hold what stands for a person: a user record name or a pseudonym. The rule CK0306 reports fewer: a text
  /// such as `host` without `Id` may be a name that users see.
  ///
  /// - Parameter lists: whether lists of such values count. A search does not look into lists.
  package func identifiers(of type: RecordType, lists: Bool = false) -> [Field] {
    type.fields.filter { (lists || !$0.type.isList) && isIdentifier($0, of: type) }
  }

  /// The fields of a type that ``init(_:_:)``'s relations say name a person, also those that the schema lacks.
  package func declaredFields(of recordType: String) -> Set<String> {
    let persons = declared.values.filter { $0.namesPerson == true }.map { $0.key.split(separator: ".") }
    return Set(persons.filter { $0.count == 2 && $0[0] == recordType }.map { String($0[1]) })
  }

  /// Whether a field that the schema lacks names a person, as far as its name and ``init(_:_:)``'s relations say.
  package func namesPerson(_ field: String, isReference: Bool, of recordType: String) -> Bool {
    declared.namesPerson(field, of: recordType)
      ?? PersonalDataNames.isIdentifier(field, isReference: isReference, nouns: nouns)
  }

  /// The fields whose values may say who a person is: the identifiers, and names that users see, such as `hostName`.
  package func names(of type: RecordType) -> [Field] {
    type.fields.filter { field in
      guard canName(field), !field.type.isList else { return false }
      return declared.namesPerson(field.name, of: type.name)
        ?? (isIdentifier(field, of: type) || PersonalDataNames.isRole(field.name, nouns: nouns)
          || PersonalDataNames.isShownName(field.name, nouns: nouns))
    }
  }

  /// The fields that say what a record of the type is called, without naming a person: not the `name` of a `Player`.
  package func titles(of type: RecordType) -> [String] {
    let isPerson = PersonalDataNames.isPerson(type.name) || PersonalDataNames.isRole(type.name, nouns: nouns)
    let names = names(of: type).map(\.name)
    return (isPerson ? ["title"] : ["title", "name"]).filter { !names.contains($0) }
  }

  private func isIdentifier(_ field: Field, of type: RecordType) -> Bool {
    guard canName(field) else { return false }
    if let isDeclared = declared.namesPerson(field.name, of: type.name) { return isDeclared }
    let isReference = field.type.primitive == .reference
    if PersonalDataNames.isIdentifier(field.name, isReference: isReference, nouns: nouns) { return true }
    // An app looks for the records of a person by an index.
    return type.isMadeByUsers && field.indexes.contains(.queryable)
      && PersonalDataNames.isRole(field.name, nouns: nouns) && !PersonalDataNames.isByline(field.name)
  }

  private func canName(_ field: Field) -> Bool {
    !field.isSystem && [.reference, .plain(.string)].contains(field.type.primitive)
  }
}

extension DataType {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }
}
