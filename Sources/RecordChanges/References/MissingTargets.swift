internal import CloudKitModel

/// The records that changes refer to and that do not exist, or would not exist after the changes.
struct MissingTargets {
  private let missing: Set<String>
  private let references: ReferenceFields

  /// Throws the container's errors.
  init(of changes: [RecordChange], _ references: ReferenceFields, in container: any Container) async throws {
    self.references = references
    let made = Set(changes.filter { $0.action == .create }.map(\.recordName))
    let deleted = Set(changes.filter { $0.action == .delete }.map(\.recordName))
    let named = Set(changes.flatMap { Self.targets(of: $0, references).map(\.name) })
    let unknown = named.subtracting(made).subtracting(deleted).sorted()
    let found = try await container.lookupAll(unknown, desiredKeys: [])
    var missing = named.intersection(deleted)
    for (name, outcome) in zip(unknown, found) where try outcome.found == nil { missing.insert(name) }
    self.missing = missing
  }

  /// A missing record that a change refers to, and the field.
  func first(of change: RecordChange) -> (field: String, name: String)? {
    Self.targets(of: change, references).first { missing.contains($0.name) }
  }

  /// The names that a change adds to fields that refer to records.
  private static func targets(
    of change: RecordChange, _ references: ReferenceFields
  ) -> [(field: String, name: String)] {
    references.of(change.recordType).flatMap { reference in
      let field = change.fields[reference.field]
      let named = Set(field?.from?.referredNames ?? [])
      // System names, such as those of users, begin with an underscore.
      return (field?.to?.referredNames ?? [])
        .filter { !$0.isEmpty && !$0.hasPrefix("_") && !named.contains($0) }.map { (reference.field, $0) }
    }
  }
}
