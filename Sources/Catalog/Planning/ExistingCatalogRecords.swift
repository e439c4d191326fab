internal import CloudKitModel
internal import RecordChanges
internal import SchemaLanguage

/// The catalog records of a container, with the fields that seeding owns.
public struct ExistingCatalogRecords: Sendable {
  private let fields: SeedFields
  /// By record name, which is unique across types.
  private(set) var records: [String: Record] = [:]
  /// Names of feeds by normalized URL.
  private var feedNames: [BytewiseText: [String]] = [:]

  /// The targets of permanent redirects that health checks found, by the feeds' record names.
  private(set) var redirects: [String: String] = [:]
  /// Readers that were read, by record name.
  var readers: [String: ReaderCount] = [:]
  /// Whether the container's schema has the field for the slugs of feeds.
  var storesSlugs = false
  /// The FeedMetadata records that were looked up.
  private(set) var metadata: [String: Record] = [:]
  /// The schema that the container will have; `nil` for the one it has.
  private let planned: Schema?

  public init(fields: SeedFields = .celestra) { self.init(fields: fields, planned: nil) }

  init(fields: SeedFields, planned: Schema?) {
    self.fields = fields
    self.planned = planned
  }

  subscript(recordName: String) -> Record? { records[recordName] }

  /// Whether a feed of the container has a value of a field that containers need only once it is used.
  func usesOptionalFields(_ fields: SeedFields) -> Bool {
    let optional = fields.feed.filter { $0.need == .onceUsed }.compactMap { field in
      field.recordField.map { (name: $0, usual: field.stored(field.usual, SeedRecordNames())) }
    }
    return records.values.contains { record in
      optional.contains { record[$0.name] != nil && !record[$0.name].isSame(as: $0.usual) }
    }
  }

  /// The feed records that belong to no seed.
  func feeds(besides mentioned: Set<String>) -> [Record] {
    records.values.filter {
      $0.recordType == CatalogRecordType.publicFeed && !mentioned.contains($0.recordName)
    }.sorted { $0.recordName < $1.recordName }
  }

  /// The slug that a feed record has; `nil` where it is absent or blank.
  func slug(of recordName: String) -> String? {
    guard let slug = records[recordName]?["slug"]?.string, !slug.isEmpty else { return nil }
    return slug
  }

  /// The names of the feed records with a slug, by slug.
  var slugHolders: [String: [String]] {
    records.values.reduce(into: [:]) { holders, record in
      guard record.recordType == CatalogRecordType.publicFeed, let slug = slug(of: record.recordName) else {
        return
      }
      holders[slug, default: []].append(record.recordName)
    }
  }

  /// The readers of a record: those that were read, else the published count.
  func readers(of recordName: String) -> ReaderCount {
    readers[recordName] ?? ReaderCount(published: records[recordName]?.publishedReaders)
  }

  /// Reads the FeedMetadata records of feeds, with one lookup for each 200.
  mutating func lookUpMetadata(of feeds: [Record], in container: some Container) async throws {
    let names = feeds.map { CatalogRecordNames.metadata(feed: $0.recordName) }
    for (feed, outcome) in zip(feeds, try await container.lookupAll(names, desiredKeys: ["redirectURL"])) {
      if let error = outcome.error, error.code != .notFound { throw error }
      guard let record = outcome.record, record.recordType == CatalogRecordType.feedMetadata else { continue }
      metadata[record.recordName] = record
      redirects[feed.recordName] = record["redirectURL"]?.string
    }
  }

  /// The names of the feed records with this URL, sorted.
  func feedNames(url: String) -> [String] {
    let names = feedNames[BytewiseText(WebAddress.normalized(url))] ?? []
    return names.count > 1 ? names.sorted() : names
  }

  /// The URL of the feed record with this name; `nil` if the record does not exist or has no URL.
  func feedURL(of recordName: String) -> String? {
    guard let record = records[recordName], record.recordType == CatalogRecordType.publicFeed else {
      return nil
    }
    return record["feedURL"]?.string
  }

  /// Reads every record of the seeded types, page by page, with the fields seeding owns and no others.
  ///
  /// - Parameter planned: the schema that the container will have: a type that the container lacks has no records yet.
  static func read(
    _ fields: SeedFields, from container: some Container, planned: Schema?
  ) async throws -> ExistingCatalogRecords {
    var existing = ExistingCatalogRecords(fields: fields, planned: planned)
    for kind in SeedKind.allCases {
      do {
        try await container.forEachPage(of: Query(kind.recordType), desiredKeys: existing.keys(of: kind)) {
          page in
          for record in page.records { existing.add(record) }
        }
      } catch let error as ServerError where error.code == .notFound && planned != nil {
        // The service's refusal of an unknown type (Documentation/reference/web-services.md#query-refusals).
        continue
      }
    }
    return existing
  }

  /// Looks up records that the queries did not return, and adds those that exist: a record that an interrupted run
  /// just wrote may not be in the query index yet (Documentation/reference/web-services.md#index-delay). Returns
  /// whether it added any.
  mutating func lookUp(_ names: [String], in container: some Container) async throws -> Bool {
    let before = records.count
    let keys = Set(SeedKind.allCases.flatMap(keys)).sorted()
    for outcome in try await container.lookupAll(names, desiredKeys: keys) {
      if let record = outcome.record { add(record) }
      if let error = outcome.error, error.code != .notFound { throw error }
    }
    return records.count > before
  }

  private mutating func add(_ record: Record) {
    var record = record
    if let type = planned?[recordType: record.recordType] { record.dropValues(notFitting: type) }
    records[record.recordName] = record
    if record.recordType == CatalogRecordType.publicFeed, let url = record["feedURL"]?.string {
      feedNames[BytewiseText(WebAddress.normalized(url)), default: []].append(record.recordName)
    }
  }

  private func keys(of kind: SeedKind) -> [String] {
    fields.recordFields(of: kind) + FieldOwnership.fields(of: kind.recordType, ownedBy: .seedAtChange)
      + (kind == .category ? [] : ["subscriberCount"])
  }
}

extension Record {
  /// Removes the values of fields that the type does not have or that have another type in it: an import drops them.
  fileprivate mutating func dropValues(notFitting type: RecordType) {
    fields = fields.filter { name, value in
      type[field: name].map { FieldType($0.type) == value.type } ?? false
    }
  }

  /// The display name of a record without a seed.
  var catalogLabel: String {
    let field = recordType == CatalogRecordType.feedCategory ? "name" : "title"
    return self[field]?.string ?? recordName
  }
}
