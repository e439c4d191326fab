internal import Catalog
internal import CloudKitModel
internal import Diagnostics
public import RecordChanges

/// What a dry run of the health check would have written.
public struct HealthPlan: Sendable {
  /// Ten times smaller than the changes, which are made when they are asked for.
  private var updates: [StateUpdate] = []

  mutating func add(_ update: StateUpdate) { updates.append(update) }

  /// In the order in which they would have been written.
  public var changes: [RecordChange] { updates.flatMap(\.changes) }

  /// The counts of changes, as a sentence.
  public static func summary(of changes: [RecordChange]) -> String {
    let created = changes.count { $0.action == .create }
    return "Dry run: \(created) records to create, \(changes.count - created) to update; nothing was written."
  }

  /// A change in words: a new record by its number of fields, any other field by field.
  public struct Entry: Sendable, Hashable {
    /// `+` or `~`.
    public let mark: String
    public let subject: String
    public let fields: [String]

    public init(_ change: RecordChange) {
      let isNew = change.action == .create
      let name = "\(change.recordType) \((change.label ?? change.recordName).printableLine)"
      mark = isNew ? "+" : "~"
      subject = isNew ? "\(name) (\(change.fields.count) fields)" : name
      let text = FieldChangeText()
      let shown = isNew ? [] : change.fields.sorted { $0.key < $1.key }
      fields = shown.map { text.line($0.key, $0.value) }
    }
  }
}
