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

  static func nouns(of types: [String]) -> Set<String> {
    let wrappers: Set<String> = ["record", "entity", "model", "item"]
    return Set(
      types.compactMap { type in
        let words = IdentifierWords(type).words
        return words.last { !wrappers.contains($0) } ?? words.last
      })
  }

  /// Whether the field identifies a person. A REFERENCE needs no `Id` in its name.
  ///
  /// - Parameter nouns: the result of ``nouns(of:)``. If the schema has a type such as `AccountRecord`, `accountId`
  ///   refers to one of its records, not to a person.
  static func isIdentifier(_ field: String, isReference: Bool, nouns: Set<String>) -> Bool {
    guard (isReference ? endingsOfReferences : endings).mayEnd(field) else { return false }
    let name = IdentifierWords(field)
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

  static func isPerson(_ type: RecordTypeDeclaration) -> Bool {
    IdentifierWords(type.name).contains(NameWords.lists["types about people"])
  }

  static func isDetail(_ field: FieldDeclaration) -> Bool {
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
  var lastTwo: String { words.suffix(2).joined() }

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
  private let endings: Set<UInt16>

  init(_ words: some Sequence<String>) { endings = Set(words.map { Self.ending(of: $0.utf8) }) }

  func mayEnd(_ name: String) -> Bool { endings.contains(Self.ending(of: name.utf8)) }

  private static func ending(of name: String.UTF8View) -> UInt16 {
    var index = name.endIndex
    func letter() -> UInt8? {
      guard index > name.startIndex else { return nil }
      index = name.index(before: index)
      return name[index] | 0x20
    }
    while let end = name[..<index].last, !end.isASCIILetter { index = name.index(before: index) }
    let s = UInt8(ascii: "s")
    guard var last = letter(), var before = letter() else { return 0 }
    if last == s, before != s, let next = letter() { (last, before) = (before, next) }
    return UInt16(before) << 8 | UInt16(last)
  }
}

extension Schema {
  /// The STRING and REFERENCE fields of a record type whose names say that they identify a person, such as `userId`: those
  /// that the rule CK0306 reports. Lists are left out.
  package func personIdentifierFields(of type: RecordType) -> [Field] {
    let nouns = PersonalDataNames.nouns(of: recordTypes.map(\.name))
    return type.fields.filter { field in
      let isReference = field.type == .scalar(.reference)
      guard isReference || field.type == .scalar(.plain(.string)), !field.isSystem else { return false }
      return PersonalDataNames.isIdentifier(field.name, isReference: isReference, nouns: nouns)
    }
  }
}

extension FieldDeclaration {
  /// As ``PersonalDataNames/isIdentifier(_:isReference:nouns:)``, for a field of a text.
  func isPersonIdentifier(_ nouns: Set<String>) -> Bool {
    !isSystem
      && PersonalDataNames.isIdentifier(name, isReference: type?.primitive == .reference, nouns: nouns)
  }
}
