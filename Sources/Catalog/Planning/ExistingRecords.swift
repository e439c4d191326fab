import CloudKitModel

/// The container's catalog, as far as seeding has a say in it.
struct ExistingRecords {
  /// By record name, which is unique across types.
  private(set) var records: [String: Record] = [:]
  /// Names of feeds by normalised URL, sorted.
  private(set) var feedNames: [String: [String]] = [:]

  subscript(recordName: String) -> Record? { records[recordName] }

  /// Reads every record of the seeded types, page by page, with the fields seeding owns and no others.
  static func read(from container: some Container) async throws -> ExistingRecords {
    var existing = ExistingRecords()
    for recordType in CatalogRecordType.seeded {
      try await container.forEachPage(of: Query(recordType), desiredKeys: keys(of: recordType)) { page in
        for record in page.records { existing.add(record) }
      }
    }
    for (url, names) in existing.feedNames where names.count > 1 { existing.feedNames[url] = names.sorted() }
    return existing
  }

  /// Adds what the container holds under names that its queries did not show: a record just written by an
  /// interrupted run can be looked up before the query index knows it (needs.md section 1.4).
  mutating func lookUp(_ names: [String], in container: some Container) async throws {
    let keys = Set(CatalogRecordType.seeded.flatMap(Self.keys)).sorted()
    for outcome in try await container.lookupAll(names, desiredKeys: keys) {
      if let record = outcome.record { records[record.recordName] = record }
      if let error = outcome.error, error.code != .notFound { throw error }
    }
  }

  private mutating func add(_ record: Record) {
    records[record.recordName] = record
    if record.recordType == CatalogRecordType.publicFeed, let url = record["feedURL"]?.string {
      feedNames[WebAddress.normalized(url), default: []].append(record.recordName)
    }
  }

  private static func keys(of recordType: String) -> [String] {
    FieldOwnership.fields(of: recordType, ownedBy: .editorial)
      + FieldOwnership.fields(of: recordType, ownedBy: .seedAtChange)
  }
}

extension Record {
  /// What to call a record that no seed mentions.
  var catalogLabel: String {
    let field = recordType == CatalogRecordType.feedCategory ? "name" : "title"
    return self[field]?.string ?? recordName
  }
}
