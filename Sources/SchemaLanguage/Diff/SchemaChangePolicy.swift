/// The policy for schema changes in a pull request: all, or only additions.
public enum SchemaChangePolicy: String, Sendable, CaseIterable {
  /// Only changes that Production allows: no removals and no changes of type.
  case additive
  /// Anything.
  case none

  /// The changes that the policy does not allow.
  public func violations(in changes: [SchemaChange]) -> [SchemaChange] {
    switch self {
    case .none: []
    case .additive: changes.filter { $0.kind.isRemoval || ($0.kind == .changeFieldType && $0.risk != .none) }
    }
  }
}
