/// Which changes a pull request may make.
public enum ChangePolicy: String, Sendable, CaseIterable {
  /// Only what Production can take: no removal of anything, no change of type.
  case additive
  /// Anything.
  case none

  /// The changes the policy does not let pass.
  public func violations(in changes: [SchemaChange]) -> [SchemaChange] {
    switch self {
    case .none: []
    case .additive: changes.filter { $0.kind.isRemoval || ($0.kind == .changeFieldType && $0.risk != .none) }
    }
  }
}
