/// One difference in meaning between two schemas, and what the service does with it.
public struct SchemaChange: Sendable, Hashable {
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

  /// What may be lost or opened up.
  public enum Risk: String, Sendable, Hashable, CaseIterable {
    case none
    case dataLoss = "data-loss"
    case indexLoss = "index-loss"
    case permissionWidening = "permission-widening"
    case permissionNarrowing = "permission-narrowing"

    /// Those that a person has to accept by name before a change is made.
    public static let named: [Risk] = [.dataLoss, .indexLoss, .permissionWidening]
  }

  /// What an environment does when asked for the change (Documentation/reference/schema-language.md#allowed-changes).
  public enum Verdict: String, Sendable, Hashable {
    case allowed, refused
    /// Nobody has shown what happens.
    case unknown
  }

  public let kind: Kind
  /// Absent for a change of roles.
  public let recordType: String?
  public let field: String?
  /// The role, for a change of roles or grants.
  public let role: String?
  /// The type, index or privileges before.
  public let from: String?
  /// The type, index or privileges after.
  public let to: String?
  public let risk: Risk
  /// An import into Development.
  public let development: Verdict
  /// A deployment to Production, which only the CloudKit Console does.
  public let production: Verdict
  /// What a person should know before doing it.
  public let hint: String?
  /// The type that appears or goes, in canonical order.
  public let whole: RecordType?
}
