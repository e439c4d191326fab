public import SchemaLanguage

/// The record types whose records users of the apps may create. They are personal, so the history stores neither
/// their names nor their values, and their changes cannot be undone.
public struct UserCreatedRecordTypes: Sendable {
  private let schema: Schema?

  /// - Parameter schema: `nil` when it is not known; then every type counts as made by users.
  public init(_ schema: Schema?) { self.schema = schema }

  /// Also true for a type that the schema does not have.
  public func contains(_ recordType: String) -> Bool {
    guard let type = schema?[recordType: recordType] else { return true }
    return ["_icloud", "_world"].contains { type.privileges(of: $0).contains(.create) }
  }

  /// How many of the changes cannot be undone, by type, sorted.
  public func irreversible(_ changes: [RecordChange]) -> [(recordType: String, count: Int)] {
    let types = Dictionary(grouping: changes.filter { contains($0.recordType) }, by: \.recordType)
    return types.map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
  }
}
