/// The rules for undoing changes of a catalog's records: which fields jobs own, and which fields refer to other
/// records.
public struct UndoRules: Sendable {
  /// A field that refers to records.
  public struct Referrer: Sendable, Hashable {
    /// How the field holds the names of its targets.
    public enum Kind: Sendable, Hashable { case name, reference, list }

    public var recordType: String
    public var field: String
    public var kind: Kind
    /// The types of the records it refers to.
    public var targets: Set<String>
    /// True if the records are deleted with their target, instead of preventing its deletion.
    public var isDependent: Bool

    public init(
      _ recordType: String, _ field: String, _ kind: Kind, to targets: Set<String>, isDependent: Bool = false
    ) {
      self.recordType = recordType
      self.field = field
      self.kind = kind
      self.targets = targets
      self.isDependent = isDependent
    }
  }

  public var referrers: [Referrer]
  /// The named risk of deleting records of a type.
  public var risks: [String: String]
  /// Whether a job owns a field. Its value does not keep a record from being deleted, and needs no decision.
  public var isOwnedByJob: @Sendable (_ field: String, _ recordType: String) -> Bool

  public init(
    referrers: [Referrer] = [], risks: [String: String] = [:],
    isOwnedByJob: @escaping @Sendable (_ field: String, _ recordType: String) -> Bool = { _, _ in false }
  ) {
    self.referrers = referrers
    self.risks = risks
    self.isOwnedByJob = isOwnedByJob
  }
}
