package import CloudKitModel

/// The rules for undoing changes of a catalog's records: which fields jobs own, which refer to other records, and which
/// have a value that only one record may have.
package struct UndoRules: Sendable {
  /// The declared references; a schema's other REFERENCE fields are added to them.
  package var references: [ReferenceField]
  /// The fields that are kept unique.
  package var unique: [UniqueField]
  /// The named risks of the changes of an undo. Throws the container's errors.
  package var risks: @Sendable (_ changes: [RecordChange], any Container) async throws -> Set<String>
  /// Whether a job owns a field. Its value does not keep a record from being deleted, and needs no decision.
  package var isOwnedByJob: @Sendable (_ field: String, _ recordType: String) -> Bool

  package init(
    references: [ReferenceField] = [], unique: [UniqueField] = [],
    risks: @escaping @Sendable ([RecordChange], any Container) async throws -> Set<String> = { _, _ in [] },
    isOwnedByJob: @escaping @Sendable (_ field: String, _ recordType: String) -> Bool = { _, _ in false }
  ) {
    self.references = references
    self.unique = unique
    self.risks = risks
    self.isOwnedByJob = isOwnedByJob
  }
}
