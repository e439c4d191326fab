/// What undoing a run would do: a plan of changes, and what stays because another client changed it since.
public struct UndoPlan: Sendable {
  /// A record, or a field of one, that stays as it is.
  public struct Skip: Sendable, Hashable {
    public var recordType: String
    public var recordName: String
    public var label: String?
    /// `nil` for the whole record.
    public var field: String?
    /// In words that follow the record's name.
    public var reason: String
  }

  public var run: RunRecord
  /// In the order they must be written: what refers to others is deleted before them and made after them.
  public var changes: [RecordChange] = []
  /// Records that are as they were before the run.
  public var unchanged = 0
  public var skipped: [Skip] = []
  /// The risks that must be accepted by name.
  public var risks: Set<String> = []

  public func count(_ action: RecordChange.Action) -> Int { changes.count { $0.action == action } }
}
