/// The plan of undoing a run: the changes, and the records that are kept because another client changed them.
public struct UndoPlan: Sendable {
  /// A record, or one of its fields, that the undo does not change.
  public struct Skip: Sendable, Hashable {
    public var recordType: String
    public var recordName: String
    public var label: String?
    /// `nil` for the whole record.
    public var field: String?
    /// The reason, as words that follow the record's name.
    public var reason: String
  }

  public var run: RunRecord
  /// In the order in which they must be written: records that refer to others are deleted before them and created
  /// after them.
  public var changes: [RecordChange] = []
  /// The number of records that already have the values from before the run.
  public var unchanged = 0
  public var skipped: [Skip] = []
  /// The risks that must be accepted by name.
  public var risks: Set<String> = []

  public func count(_ action: RecordChange.Action) -> Int { changes.count { $0.action == action } }
}
