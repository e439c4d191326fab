import Diagnostics

/// One difference in meaning between two schemas, and what the service does with it.
package struct SchemaChange: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case addRecordType, removeRecordType
    case addField, removeField, changeFieldType
    case addIndex, removeIndex
    case addGrant, removeGrant
    case addRole, removeRole

    package var isRemoval: Bool { rawValue.hasPrefix("remove") }
  }

  /// The risk of a change: lost data, a lost index or wider permissions.
  package enum Risk: String, Sendable, Hashable, CaseIterable {
    case none
    case dataLoss = "data-loss"
    case indexLoss = "index-loss"
    case permissionWidening = "permission-widening"
    case permissionNarrowing = "permission-narrowing"

    /// The risks that must be accepted by name before a change is applied.
    package static let named: [Risk] = [.dataLoss, .indexLoss, .permissionWidening]
  }

  package enum Verdict: String, Sendable, Hashable {
    case allowed, refused
    /// Apple does not document it, and it has not been observed.
    case unknown
  }

  package let kind: Kind
  /// `nil` for a change of roles.
  package let recordType: String?
  package let field: String?
  package let role: String?
  /// The type, index or privileges before.
  package let from: String?
  /// The type, index or privileges after.
  package let to: String?
  package private(set) var risk: Risk
  package private(set) var development: Verdict
  /// The verdict on a deployment to Production, which only the CloudKit Console does.
  package private(set) var production: Verdict
  package private(set) var hint: String?
  /// The added or removed type, in canonical order.
  package let whole: RecordType?
  /// Why an added grant is more than an addition, or a removed one allowed something.
  let grantRefusal: String?

  /// The same change, made by something else than an import: a reset of development, or an edit of a file. No environment
  /// refuses it, and the hint about imports is left out.
  package func withoutImport(risk: Risk) -> SchemaChange {
    copy(of: self) { ($0.risk, $0.development, $0.production, $0.hint) = (risk, .allowed, .allowed, nil) }
  }
}

/// The policy for schema changes in a pull request: all, or only additions.
package enum SchemaChangePolicy: String, Sendable, CaseIterable {
  /// Only changes that Production allows: no removals and no changes of type.
  case additive
  case none
}

/// The risk of each kind of change, and whether development and production allow it, as far as known
/// (Documentation/reference/schema-language.md#allowed-changes).
package struct SchemaChangeVerdict {
  package var risk: SchemaChange.Risk
  package var development = SchemaChange.Verdict.allowed
  /// It is unknown what a deployment does with narrower grants, removed roles and dropped indexes.
  var production = SchemaChange.Verdict.allowed

  static let addition = SchemaChangeVerdict(risk: .none)
  /// The removal of a type or field.
  static let removal = SchemaChangeVerdict(risk: .dataLoss, development: .unknown, production: .refused)

  /// A change of a field's type. Encryption cannot change; a NUMBER can get a preferred type once.
  package static func typeChange(from old: DataType, to new: DataType) -> SchemaChangeVerdict {
    if old.isDecided(by: new) { return SchemaChangeVerdict(risk: .none, production: .unknown) }
    if old.isEncrypted != new.isEncrypted || old.hasPreference && new.isNumber {
      return SchemaChangeVerdict(risk: .dataLoss, development: .refused, production: .refused)
    }
    return removal
  }

  /// The verdict once it is known whether Production has what changes. What it lacks, it cannot refuse to change; what it
  /// has, Development may not give up either.
  package func known(isDeployed: Bool?) -> SchemaChangeVerdict {
    guard let isDeployed else { return self }
    return copy(of: self) {
      if development == .unknown { $0.development = isDeployed ? .refused : .allowed }
      if !isDeployed { $0.production = .allowed }
    }
  }

  /// The verdict on a change where Production has the field with another type, whose change has a verdict of its own.
  func joined(with deployed: SchemaChangeVerdict) -> SchemaChangeVerdict {
    copy(of: self) {
      if deployed.production == .refused { $0.development = .refused }
      $0.production = deployed.production
    }
  }
}

extension DataType {
  package var isEncrypted: Bool { if case .encrypted = primitive { true } else { false } }
  var isNumber: Bool { if case .number = primitive { true } else { false } }
  /// Whether this is a NUMBER and the new type is its preferred type, which can be chosen once, also when the field is
  /// deployed.
  package func isDecided(by new: DataType) -> Bool {
    guard self == .scalar(.number(preferred: nil)), case .scalar = new else { return false }
    return new.hasPreference
  }
  fileprivate var hasPreference: Bool {
    if case .number(preferred: .some) = primitive { true } else { false }
  }
}

extension RecordType {
  /// The privileges of a role with those that it inherits.
  func effectivePrivileges(of role: String) -> EnumSet<Privilege> {
    privileges(of: role).union(inheritedPrivileges(of: role))
  }

  /// The privileges that a role has by other grants: those of `_world`, and those of `_icloud`, because users with another
  /// role are signed in.
  func inheritedPrivileges(of role: String) -> EnumSet<Privilege> {
    if role == Role.world { return [] }
    let everyone = privileges(of: Role.world)
    return role == Role.icloud ? everyone : everyone.union(privileges(of: Role.icloud))
  }

  /// Whether strangers may change records of the type, or create them without an account. CREATE for `_icloud`, which
  /// Apple recommends for each public type, is not meant.
  package var isWritableByStrangers: Bool {
    privileges(of: Role.icloud).contains(.write)
      || !privileges(of: Role.world).isDisjoint(with: [.create, .write])
  }

  /// The type `Users` as CloudKit makes it (Documentation/reference/schema-language.md#roles-and-system-types).
  package static let users = RecordType(
    SystemNames.users, fields: [Field("roles", .list(.plain(.int64)))],
    grants: [Grant([.write], to: Role.creator), Grant([.read], to: Role.world)])
}
