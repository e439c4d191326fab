/// The owner of a field: the only one that may write it.
package enum FieldOwner: Sendable, Hashable {
  /// An editor, in the seeds.
  case editorial
  /// Seeding, once, when it creates the record. Editors cannot declare it.
  case seedAtCreation
  /// Seeding, when it creates the record and whenever it changes an editorial field.
  case seedAtChange
  /// A job, from other records or from the feed itself.
  case computed(by: CatalogJob)
  /// The apps, for their users.
  case app
  /// Declared by the schema, but not used yet: kept as it is, never written.
  case unused
  /// CloudKit itself.
  case system

  /// Whether seeding writes the field although no seed declares it.
  var isSetBySeeding: Bool { self == .seedAtCreation || self == .seedAtChange }
}

/// The jobs that compute fields.
package enum CatalogJob: String, Sendable, Hashable, CaseIterable {
  case health = "health check"
  case subscribers = "recount subscribers"
  case quality = "recount quality"
  /// Storing the feeds' items as articles.
  case ingest = "article ingest"
  /// The lease that keeps two runs apart.
  case lease = "run lease"
}

/// The table of the owners of all fields of the schema (Documentation/reference/catalog.md#field-ownership). Seeding
/// never writes a computed field, a job never an editorial one, and no job a field of another job.
package enum FieldOwnership {
  /// `nil` for a field the schema does not have.
  package static func owner(of field: String, in recordType: String) -> FieldOwner? {
    table[recordType]?[field]
  }

  /// Every field of a type with its owner; empty for an unknown type.
  package static func owners(in recordType: String) -> [String: FieldOwner] { table[recordType] ?? [:] }

  /// Sorted.
  package static func fields(of recordType: String, ownedBy owner: FieldOwner) -> [String] {
    owners(in: recordType).filter { $0.value == owner }.map(\.key).sorted()
  }

  static var recordTypes: [String] { table.keys.sorted() }

  private static let table = Dictionary(
    uniqueKeysWithValues: CatalogRecordTypeRules.all.filter { !$0.owners.isEmpty }.map {
      ($0.recordType, $0.owners)
    })
}
