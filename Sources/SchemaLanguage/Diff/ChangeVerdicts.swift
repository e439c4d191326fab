/// What is known about how the service takes each kind of change: the one place for it
/// (Documentation/reference/schema-language.md#allowed-changes).
struct ChangeVerdict {
  var risk: SchemaChange.Risk
  var development: SchemaChange.Verdict
  var production: SchemaChange.Verdict

  static let addition = ChangeVerdict(risk: .none, development: .allowed, production: .allowed)
  static let widening = ChangeVerdict(risk: .permissionWidening, development: .allowed, production: .allowed)
  /// Nothing shows what Production does with a narrower grant or a role that is gone.
  static let narrowing = ChangeVerdict(
    risk: .permissionNarrowing, development: .allowed, production: .unknown)
  /// A grant goes that another one implies.
  static let redundancy = ChangeVerdict(risk: .none, development: .allowed, production: .unknown)
  /// An import drops the index; whether a deployment does has not been shown.
  static let indexLoss = ChangeVerdict(risk: .indexLoss, development: .allowed, production: .unknown)

  /// Development refuses as well once Production has what would go, and Production has nothing to lose that it never
  /// had.
  ///
  /// - Parameter isDeployed: `nil` where Production's schema is not known.
  static func removal(isDeployed: Bool?) -> ChangeVerdict {
    let development: SchemaChange.Verdict = isDeployed.map { $0 ? .refused : .allowed } ?? .unknown
    return ChangeVerdict(
      risk: .dataLoss, development: development, production: isDeployed == false ? .allowed : .refused)
  }
  /// What CloudKit manages itself cannot be deleted.
  static let managed = ChangeVerdict(risk: .dataLoss, development: .refused, production: .refused)

  /// A field's new type: encryption is fixed when the field is made; NUMBER may choose its preference once.
  static func typeChange(from old: DataType, to new: DataType, isDeployed: Bool?) -> ChangeVerdict {
    if case (.scalar(.number(preferred: nil)), .scalar(.number(preferred: .some))) = (old, new) {
      return ChangeVerdict(risk: .none, development: .allowed, production: .unknown)
    }
    if old.isEncrypted != new.isEncrypted || old.hasPreference && new.isNumber {
      return ChangeVerdict(risk: .dataLoss, development: .refused, production: .refused)
    }
    return removal(isDeployed: isDeployed)
  }
}

extension DataType {
  var isEncrypted: Bool { if case .encrypted = primitive { true } else { false } }
  var isNumber: Bool { if case .number = primitive { true } else { false } }
  fileprivate var hasPreference: Bool {
    if case .number(preferred: .some) = primitive { true } else { false }
  }
}

extension RecordType {
  /// What a role may do by its own grants and by those that include it: everyone is `_world`, and everyone who holds a
  /// role is signed in.
  func effectivePrivileges(of role: String) -> EnumSet<Privilege> {
    let own = privileges(of: role).union(privileges(of: Role.world))
    return role == Role.world ? own : own.union(privileges(of: Role.icloud))
  }

  /// Strangers may create or change records of the type.
  var isWritableByStrangers: Bool {
    [Role.world, Role.icloud].contains { role in
      !privileges(of: role).isDisjoint(with: [.create, .write])
    }
  }
}
