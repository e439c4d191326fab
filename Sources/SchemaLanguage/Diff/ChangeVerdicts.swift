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
  /// An import drops the index; whether a deployment does has not been shown.
  static let indexLoss = ChangeVerdict(risk: .indexLoss, development: .allowed, production: .unknown)
  /// Development refuses as well once Production has what would go.
  static func removal(isDeployed: Bool) -> ChangeVerdict {
    ChangeVerdict(
      risk: .dataLoss, development: isDeployed ? .refused : .allowed, production: .refused)
  }
  /// What CloudKit manages itself cannot be deleted.
  static let managed = ChangeVerdict(risk: .dataLoss, development: .refused, production: .refused)

  /// A field's new type: encryption is fixed when the field is made; NUMBER may choose its preference once.
  static func typeChange(from old: DataType, to new: DataType, isDeployed: Bool) -> ChangeVerdict {
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
