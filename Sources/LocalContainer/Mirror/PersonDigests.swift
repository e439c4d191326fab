internal import CloudKitModel
internal import Cryptography
internal import Platform
package import SchemaLanguage

/// Replaces what names a person by a digest that only the key of the mirror can make
/// (Documentation/Privacy.md#copies).
package final class PersonDigests {
  private let key: MirrorKey
  /// By record type: the fields whose values name a person.
  private let fields: [String: Set<String>]
  /// By record type: the field that holds the group of a record whose name proves its creator.
  private let groups: [String: String]
  /// Judges the fields that the schema lacks, whose values are kept aside.
  private let unknown: PersonFields?
  /// See `CreatorNames`.
  private let ownKeys: Set<String>
  private let names: CreatorNames.Checker
  /// What stands for the last persons, whose records often follow each other.
  private var known: [Person: String] = [:]
  /// The fields that were met, and whether they name a person.
  private var judged: [FieldUse: Bool] = [:]
  private static let maxKnown = 1000

  private struct FieldUse: Hashable {
    let recordType: String
    let field: String
    let isReference: Bool
  }

  private struct Person: Hashable {
    let name: ExactText
    let kind: CreatorNames.Class?
  }

  /// - Parameters:
  ///   - fields: by record type, the fields whose values name a person.
  ///   - unknown: which fields that the schema lacks name a person; `nil` for none.
  ///   - groups: by record type whose names prove their creators, the field with the group.
  ///   - ownKeys: see `CreatorNames`.
  package init(
    _ key: MirrorKey, fields: [String: Set<String>], unknown: PersonFields? = nil,
    groups: [String: String] = [:], ownKeys: Set<String> = []
  ) {
    self.key = key
    self.fields = fields
    self.unknown = unknown
    self.groups = groups
    self.ownKeys = ownKeys
    names = CreatorNames.Checker(CreatorNames(ownKeys: ownKeys))
  }

  /// What decides, besides the key, which digests the records of a type have. If it differs from that of the last run, all
  /// records of the type are read again.
  func rules(of recordType: String) -> String {
    let creators = groups[recordType].map { [$0] + ownKeys.sorted() } ?? []
    let declared = unknown?.declaredFields(of: recordType) ?? []
    return ((fields[recordType] ?? []).union(declared).sorted() + creators).joined(separator: " ")
  }

  /// The record with digests for its creator, for who changed it, wherever a field or a list holds one of these two, and
  /// in the fields that name a person.
  func replaced(_ record: Record) -> Record {
    var record = record
    let (creator, modifier) = (record.created?.userRecordName ?? "", record.modified?.userRecordName ?? "")
    let name = standIn(for: creator, nameClass(of: record))
    record.created?.userRecordName = name
    record.created?.deviceID = ""
    // One person has one name in both stamps, so that they can be compared.
    record.modified?.userRecordName = modifier == creator ? name : standIn(for: modifier)
    record.modified?.deviceID = ""
    let type = record.recordType
    for (field, value) in record.fields {
      let replaced = replaced(value) { text, isReference in
        text == creator || text == modifier
          || namesPerson(FieldUse(recordType: type, field: field, isReference: isReference))
      }
      if let replaced { record.fields[field] = replaced }
    }
    return record
  }

  private func namesPerson(_ use: FieldUse) -> Bool {
    if let known = judged[use] { return known }
    if judged.count == Self.maxKnown { judged = [:] }
    let isPerson =
      fields[use.recordType]?.contains(use.field) ?? false
      || unknown?.namesPerson(use.field, isReference: use.isReference, of: use.recordType) ?? false
    judged[use] = isPerson
    return isPerson
  }

  /// What the name of a record says about its creator; `nil` for a type whose names say nothing.
  private func nameClass(of record: Record) -> CreatorNames.Class? {
    guard let field = groups[record.recordType] else { return nil }
    let group = record[field]?.referredName ?? ""
    return names.check(record.recordName, group: group, creator: record.created?.userRecordName ?? "")
  }

  /// `nil` for a value that stays as it is.
  private func replaced(
    _ value: FieldValue, where isPerson: (_ text: String, _ isReference: Bool) -> Bool
  ) -> FieldValue? {
    switch value {
    case .string(let text) where isPerson(text, false): .string(standIn(for: text))
    case .reference(let reference) where isPerson(reference.recordName, true):
      .reference(Reference(standIn(for: reference.recordName), action: reference.action))
    case .list(let type, let values): .list(of: type, values.map { replaced($0, where: isPerson) ?? $0 })
    default: nil
    }
  }

  /// An empty text names no person.
  private func standIn(for person: String, _ kind: CreatorNames.Class? = nil) -> String {
    guard !person.isEmpty else { return "" }
    let place = Person(name: ExactText(person), kind: kind)
    if let known = known[place] { return known }
    if known.count == Self.maxKnown { known = [:] }
    let digest = key.digest(of: person)
    let standIn = kind.map { CreatorNames.standIn(digest, $0) } ?? digest
    known[place] = standIn
    return standIn
  }
}

extension Schema {
  /// By record type, the fields whose values name a person.
  ///
  /// - Parameter relations: `schema.relations` of the project.
  package func fieldsOfPersons(_ relations: [DeclaredRelation]) -> [String: Set<String>] {
    let persons = PersonFields(self, relations)
    return recordTypes.reduce(into: [:]) {
      $0[$1.name] = Set(persons.identifiers(of: $1, lists: true).map(\.name))
    }
  }
}

/// The key of a mirror's digests, in a file beside it that only its owner can read. A run that writes to the mirror has
/// locked it.
package struct MirrorKey: Sendable {
  private static let size = 32

  private let bytes: [UInt8]
  private let mirror: String

  /// A digest, keyed twice, so that none can be continued to that of a longer text.
  func digest(of text: String) -> String { SHA256.hex(bytes + SHA256.digest(bytes + Array(text.utf8))) }

  /// All that can stand for a person: the digest, as in fields, and as creators have it (``CreatorNames/standIn(_:_:)``).
  func standIns(for person: String) -> [String] {
    let digest = digest(of: person)
    return [digest] + CreatorNames.Class.allCases.map { CreatorNames.standIn(digest, $0) }
  }

  /// What the mirror keeps to know its key again: the digest of a text that names no person.
  var check: String { digest(of: "the key of this mirror") }

  /// Reads the key of a mirror; `nil` if it has none. Throws `FileFailure`, and `ContainerFailure` for another file.
  ///
  /// - Parameter making: makes a missing key. When two runs do so at once, both get the same.
  init?(ofMirror mirror: String, making: Bool) throws {
    self.mirror = mirror
    let path = Self.path(mirror)
    if try FileStatus.of(path) == nil {
      guard making else { return nil }
      try Self.make(path)
    }
    bytes = try PrivateFile.read(path, upTo: Self.size, content: "key of the mirror")
    guard bytes.count == Self.size else {
      throw ContainerFailure(
        .storage, "\(path) is not the key of a mirror", hint: "Put the right key back.")
    }
  }

  static func path(_ mirror: String) -> String { mirror + ".key" }

  private static func make(_ path: String) throws {
    var generator = SystemRandomNumberGenerator()
    let key = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    try PrivateFile.createIfMissing(path, key)
  }

  /// Throws `ContainerFailure` while another run has locked it.
  func lock() throws -> StateFile {
    guard let lock = try PrivateFile.lock(Self.path(mirror)) else {
      throw ContainerFailure(
        .busy, "another run is writing to the mirror \(mirror)",
        hint: "Wait until it ends, then run this again.")
    }
    return lock
  }

  /// - Parameters:
  ///   - isOther: there is a key, with which the mirror was not made.
  ///   - mark: of a mirror in which a person is searched; `nil` for one that is continued.
  static func missing(
    ofMirror mirror: String, isOther: Bool = false, searching mark: MirrorMark? = nil
  ) -> ContainerFailure {
    let problem = isOther ? "is another mirror's key, and without its own" : "is missing, and without it"
    return ContainerFailure(
      .storage,
      "\(path(mirror)) \(problem) "
        + (mark == nil
          ? "the mirror's digests of persons cannot be continued" : "no person can be found in the mirror"),
      hint: "Put the key back beside the mirror, or "
        + (mark.map { "search the service: \($0.source.options)." } ?? "give another file for a new mirror."))
  }
}
