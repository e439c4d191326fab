internal import CloudKitModel

/// The records that changes refer to and that do not exist, or would not exist after the changes; for a saved plan also
/// those that were retired since.
struct MissingTargets {
  /// What is wrong with each, as a clause.
  private let missing: [String: String]
  private let references: ReferenceFields

  /// Throws the container's errors.
  ///
  /// - Parameter retirement: the field that marks a record as retired; `nil` if retired records may be referred to.
  init(
    of changes: [RecordChange], _ references: ReferenceFields, in container: any Container,
    retirement: String? = nil
  ) async throws {
    self.references = references
    let made = Set(changes.filter { $0.action == .create }.map(\.recordName))
    let deleted = Set(changes.filter { $0.action == .delete }.map(\.recordName))
    let named = Set(changes.flatMap { Self.targets(of: $0, references).map(\.name) })
    let unknown = named.subtracting(made).subtracting(deleted).sorted()
    let found = try await container.lookupAll(unknown, desiredKeys: retirement.map { [$0] } ?? [])
    let written = Set(changes.map(\.recordName))
    var missing = Dictionary(
      uniqueKeysWithValues: named.intersection(deleted).map { ($0, "which does not exist") })
    for (name, outcome) in zip(unknown, found) {
      guard let target = try outcome.found else {
        missing[name] = "which does not exist"
        continue
      }
      if let retirement, !written.contains(name), target[retirement] == .flag(true) {
        missing[name] = "which was retired"
      }
    }
    self.missing = missing
  }

  /// A missing record that a change refers to, the field, and what is wrong, as a clause.
  func first(of change: RecordChange) -> (field: String, name: String, reason: String)? {
    for target in Self.targets(of: change, references) {
      if let reason = missing[target.name] { return (target.field, target.name, reason) }
    }
    return nil
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
