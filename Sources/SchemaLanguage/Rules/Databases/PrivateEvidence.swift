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
