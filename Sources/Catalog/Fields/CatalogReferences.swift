package import RecordChanges

/// The references between the record types of the shipped schemas. Plans, undo, deletions and verification use this
/// table, so that a reference is declared once (Documentation/reference/catalog.md#links).
package enum CatalogReferences {
  package static let all = CatalogRecordTypeRules.all.flatMap(\.references)

  /// The field that marks a record as retired (Documentation/reference/catalog.md#retired-feeds).
  package static let retirement = "isRetired"

  /// The references from records of seeds, which a plan of seeds must not leave without a target.
  package static let betweenSeeds = ReferenceFields(
    all.filter { CatalogRecordType.seeded.contains($0.recordType) }, in: nil)
}

/// The fields whose value only one record of a type may have. Undo and verification use this table
/// (Documentation/reference/catalog.md#uniqueness).
package enum CatalogUniqueFields {
  package static let all = CatalogRecordTypeRules.all.flatMap(\.unique)
}
