package import Diagnostics

/// Why a record type is probably one of the private database
/// (Documentation/reference/schema-language.md#databases). The raw values are the words in JSON.
enum PrivateEvidence: String, Sendable, Hashable, CaseIterable {
  case comment
  /// Core Data's names: `CD_` before the type's name or a field's name.
  case coreData = "core-data-names"
  case encryptedField = "encrypted-field"
  case noGrants = "no-grants"
  case noIndex = "no-index"
  case creatorReads = "read-by-creator"
  /// No index for listing, and the grants that CloudKit gives each type that it makes itself.
  case notListed = "not-listed"

  /// Whether the rules about listing and about readers skip the type. Weak evidence only turns CK0203 into the
  /// notice about the file.
  var isStrong: Bool {
    switch self {
    case .comment, .coreData, .encryptedField, .noGrants: true
    case .noIndex, .creatorReads, .notListed: false
    }
  }

  /// - Parameter mentioned: whether a comment at the type mentions the private database.
  init?(_ type: RecordTypeDeclaration, mentioned: Bool) {
    let isOfSystemRoles = type.grants.allSatisfy { SystemNames.roles.contains($0.grant.role) }
    if mentioned {
      self = .comment
    } else if !isOfSystemRoles {
      // Custom roles only exist in the public database.
      return nil
    } else if type.isOfCoreData {
      self = .coreData
    } else if type.hasEncryptedField {
      self = .encryptedField
    } else if type.grants.isEmpty {
      self = .noGrants
    } else if type.fields.allSatisfy(\.indexes.isEmpty) {
      self = .noIndex
    } else if type.canBeListed {
      return nil
    } else if type.isReadByCreatorOnly {
      self = .creatorReads
    } else if type.hasDefaultGrants {
      self = .notListed
    } else {
      return nil
    }
  }

  /// The reason after "because", for the types in a list.
  func words(isOne: Bool) -> String {
    switch self {
    case .comment: "a comment mentions the private database"
    case .coreData: isOne ? "it has names of Core Data" : "they have names of Core Data"
    case .encryptedField: isOne ? "it has an ENCRYPTED field" : "they have ENCRYPTED fields"
    case .noGrants: isOne ? "it grants nothing" : "they grant nothing"
    case .noIndex: isOne ? "it has no index for a query" : "they have no index for a query"
    case .creatorReads: isOne ? "only the creator may read it" : "only the creator may read them"
    case .notListed:
      isOne
        ? "no index lists it, and its grants are those of every new type"
        : "no index lists them, and their grants are those of every new type"
    }
  }
}

extension RecordTypeDeclaration {
  /// Core Data stores its types in the private database by default.
  fileprivate var isOfCoreData: Bool { name.hasPrefix("CD_") || fields.contains { $0.name.hasPrefix("CD_") } }

  var hasEncryptedField: Bool { fields.contains { $0.type?.isEncrypted == true } }

  var canBeListed: Bool { field(SystemField.recordName.storedName)?.indexes.contains(.queryable) == true }

  fileprivate var hasDefaultGrants: Bool {
    let type = RecordType(name, grants: grants.map(\.grant))
    return RecordType.defaultGrants.allSatisfy { type.privileges(of: $0.role) == $0.privileges }
  }

  fileprivate var isReadByCreatorOnly: Bool {
    let readers = grants.filter { $0.grant.privileges.contains(.read) }
    return !readers.isEmpty && readers.allSatisfy { $0.grant.role == Role.creator }
  }
}

/// The question that a file leaves open: which of its record types belong to the private database. It stands beside
/// the findings and never fails a check.
package struct DatabaseNotice: Sendable {
  /// The types that look private, each with the reason.
  let candidates: [(name: String, evidence: PrivateEvidence)]
  /// The number of the file's types, without those that CloudKit manages.
  let typeCount: Int
  /// The place of DEFINE SCHEMA.
  let place: SourceRange

  init?(_ parsed: ParsedSchema, _ databases: RecordTypeDatabases) {
    let types = parsed.recordTypes.filter { !SystemNames.isManaged($0.name) }
    candidates = types.compactMap { type in
      databases.evidence[type.name].map { (type.name, $0) }
    }
    guard !candidates.isEmpty else { return nil }
    typeCount = types.count
    place = parsed.source.range(parsed.headerRange)
  }

  static let answer =
    "set schema.database to public or private in celestra-admin.json, and the exceptions in schema.privateTypes or "
    + "schema.publicTypes; or write // celestra:private or // celestra:public above the type"

  /// Whether a finding is the notice, and not made a finding by the settings.
  static func isNotice(_ diagnostic: Diagnostic) -> Bool {
    diagnostic.code == SchemaCode.databaseUnknown.code && diagnostic.severity == .note
  }

  /// Whether an older version of the file left the same question open.
  func asksNothingNew(since older: DatabaseNotice) -> Bool {
    Set(candidates.map { $0.name }).isSubset(of: older.candidates.map { $0.name })
  }

  /// How many types look private, why, what is not judged for it, and what to write.
  package var diagnostic: Diagnostic {
    let reasons = PrivateEvidence.allCases.compactMap { evidence -> String? in
      let names = candidates.filter { $0.evidence == evidence }.map { $0.name }
      return names.isEmpty
        ? nil : "\(listed(names, upTo: 3)) because \(evidence.words(isOne: names.count == 1))"
    }
    let verb = candidates.count == 1 ? "looks" : "look"
    let isWeak = candidates.contains { !$0.evidence.isStrong }
    return Diagnostic(
      SchemaCode.databaseUnknown,
      "\(candidates.count) of \(counted(typeCount, "record type")) \(verb) private: "
        + reasons.joined(separator: "; ")
        + (isWeak ? "; whether apps can list them is not judged" : ""),
      at: place, help: Self.answer)
  }

  var json: JSONValue {
    [
      "file": .string(place.source.name),
      "recordTypes": .array(
        candidates.map { ["name": .string($0.name), "reason": .string($0.evidence.rawValue)] }),
    ]
  }
}

extension [DatabaseNotice] {
  /// `result.databaseNotice`: `{"message", "help", "files": [{"file", "recordTypes": [{"name", "reason"}]}]}`.
  package var json: JSONValue? {
    guard let first else { return nil }
    let message =
      count == 1
      ? first.diagnostic.message
      : "\(reduce(0) { $0 + $1.candidates.count }) of \(reduce(0) { $0 + $1.typeCount }) record types in \(count) files look private"
    return [
      "message": .string(message), "help": .string(DatabaseNotice.answer), "files": .array(map(\.json)),
    ]
  }
}
