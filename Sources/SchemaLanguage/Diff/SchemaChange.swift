/// One difference in meaning between two schemas, and what the service does with it.
public struct SchemaChange: Sendable, Hashable {
  /// The kinds of changes.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case addRecordType, removeRecordType
    case addField, removeField, changeFieldType
    case addIndex, removeIndex
    case addGrant, removeGrant
    case addRole, removeRole

    public var isRemoval: Bool {
      switch self {
      case .removeRecordType, .removeField, .removeIndex, .removeGrant, .removeRole: true
      default: false
      }
    }
  }

  /// The risk of a change: lost data, a lost index or wider permissions.
  public enum Risk: String, Sendable, Hashable, CaseIterable {
    case none
    case dataLoss = "data-loss"
    case indexLoss = "index-loss"
    case permissionWidening = "permission-widening"
    case permissionNarrowing = "permission-narrowing"

    /// The risks that must be accepted by name before a change is applied.
    public static let named: [Risk] = [.dataLoss, .indexLoss, .permissionWidening]
  }

  /// Whether an environment allows the change.
  public enum Verdict: String, Sendable, Hashable {
    case allowed, refused
    /// Apple does not document it, and it has not been observed.
    case unknown
  }

  public let kind: Kind
  /// `nil` for a change of roles.
  public let recordType: String?
  public let field: String?
  /// The role, for a change of roles or grants.
  public let role: String?
  /// The type, index or privileges before.
  public let from: String?
  /// The type, index or privileges after.
  public let to: String?
  public let risk: Risk
  /// The verdict on an import into Development.
  public let development: Verdict
  /// The verdict on a deployment to Production, which only the CloudKit Console does.
  public let production: Verdict
  /// Advice about the change.
  public let hint: String?
  /// The added or removed type, in canonical order.
  public let whole: RecordType?
}
