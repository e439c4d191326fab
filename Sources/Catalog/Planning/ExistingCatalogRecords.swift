package import CloudKitModel
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

/// The catalog records of a container, with the fields that seeding owns.
package struct ExistingCatalogRecords: Sendable {
  /// By record name, which is unique across types.
  private(set) var records: [String: Record] = [:]
  /// Names of feeds by normalized URL.
  private var feedNames: [ExactText: [String]] = [:]

  /// Names of the feed records with a slug, by slug.
  private(set) var slugHolders: [String: [String]] = [:]
  /// The targets of permanent redirects that health checks found, by the feeds' record names.
  private(set) var redirects: [String: String] = [:]
  /// Readers that were read, by record name.
  private(set) var readers: [String: ReaderCount] = [:]
  /// Whether the container's schema has the field for the slugs of feeds.
  private(set) var storesSlugs = false
  /// The FeedMetadata records that were looked up.
  private(set) var metadata: [String: Record] = [:]
  /// The schema that the container will have; `nil` for the one it has.
  private let planned: Schema?

  init(planned: Schema?) { self.planned = planned }

  package init(_ records: [Record] = []) {
    self.init(planned: nil)
    for record in records { add(record) }
  }

  subscript(recordName: String) -> Record? { records[recordName] }

  /// Whether a feed of the container has a value of a field that containers need only once it is used.
  var usesOptionalFields: Bool {
    let optional = SeedFields.celestra.feed.filter { $0.need == .onceUsed }.compactMap { field in
      field.recordField.map { (name: $0, usual: field.stored(field.usual)) }
    }
    return records.values.contains { record in
      optional.contains { record[$0.name] != nil && !record[$0.name].isSame(as: $0.usual) }
    }
  }

  /// The slug that a feed record has; `nil` where it is absent or blank.
  func slug(of recordName: String) -> String? { records[recordName]?.ownSlug }

  /// The readers of a record: those that were read, else the published count.
  func readers(of recordName: String) -> ReaderCount {
    readers[recordName] ?? ReaderCount(published: records[recordName]?.publishedReaders())
  }

  /// The names of the feed records with this URL, sorted.
  func feedNames(url: String) -> [String] {
    let names = feedNames[ExactText(WebAddress.normalized(url))] ?? []
    return names.count > 1 ? names.sorted() : names
  }

  /// The URL of the feed record with this name; `nil` if the record does not exist or has no URL.
  func feedURL(of recordName: String) -> String? {
    records[recordName].flatMap {
      $0.recordType == CatalogRecordType.publicFeed ? $0["feedURL"]?.string : nil
    }
  }

  // MARK: Reading

  /// Reads every record of the seeded types, page by page, with the fields seeding owns and no others.
  mutating func readPages(from container: some Container) async throws {
    for kind in SeedKind.allCases {
      do {
        try await container.forEachRecord(of: Query(kind.recordType), desiredKeys: keys(of: kind)) { add($0) }
      } catch let error as ServerError where error.code == .notFound && planned != nil {
        // The service's refusal of an unknown type (Documentation/reference/web-services.md#query-refusals).
        continue
      }
    }
  }

  /// Finds out whether the container can store the slugs of feeds. Without its schema, a record with a slug proves it, else
  /// a query that only a schema with the field answers.
  mutating func readSlugField(_ schema: Schema?, from container: some Container) async throws {
    let type = CatalogRecordType.publicFeed
    if let schema = planned ?? schema {
      storesSlugs = schema[recordType: type]?[field: "slug"] != nil
    } else if !slugHolders.isEmpty {
      storesSlugs = true
    } else {
      storesSlugs = try await container.hasField("slug", of: type, sample: .string(""))
    }
  }

  /// Reads what the queries did not return, with one lookup for each 200: records that an interrupted run just wrote may not
  /// be in the index yet (Documentation/reference/web-services.md#index-delay); and where health checks saw feeds go that
  /// have no seed any more.
  ///
  /// - Parameters:
  ///   - names: of records that may exist.
  ///   - feeds: the record names of feeds whose FeedMetadata is read.
  mutating func lookUp(_ names: Set<String>, metadataOf feeds: [String], in container: some Container)
    async throws
  {
    let unseen = names.filter { records[$0] == nil }.sorted()
    let metadata = Dictionary(feeds.map { (CatalogRecordNames.metadata(feed: $0), $0) }) { first, _ in first }
    let keys = Set(SeedKind.allCases.flatMap(keys)).union(feeds.isEmpty ? [] : ["redirectURL"]).sorted()
    for outcome in try await container.lookupAll(unseen + metadata.keys.sorted(), desiredKeys: keys) {
      guard let record = try outcome.found else { continue }
      guard let feed = metadata[record.recordName] else {
        add(record)
        continue
      }
      guard record.recordType == CatalogRecordType.feedMetadata else { continue }
      self.metadata[record.recordName] = record
      redirects[feed] = record["redirectURL"]?.string
    }
  }

  /// Reads how many readers records have. Where they cannot be read, the count says why.
  mutating func readReaders(of names: [String], in container: some Container) async throws {
    let published = Dictionary(names.map { ($0, self[$0]?.publishedReaders()) }) { first, _ in first }
    readers.merge(try await container.readers(published: published)) { $1 }
  }

  private mutating func add(_ record: Record) {
    var record = record
    if let type = planned?[recordType: record.recordType] {
      // An import drops the values of fields that the type does not have, or has with another type.
      record.fields = record.fields.filter { name, value in
        type[field: name].map { FieldType($0.type) == value.type } ?? false
      }
    }
    // A page may have a record that an earlier one had too, when the container changes meanwhile.
    let isNew = records.updateValue(record, forKey: record.recordName) == nil
    guard isNew, record.recordType == CatalogRecordType.publicFeed else { return }
    if let slug = record.ownSlug { slugHolders[slug, default: []].append(record.recordName) }
    if let url = record["feedURL"]?.string {
      feedNames[ExactText(WebAddress.normalized(url)), default: []].append(record.recordName)
    }
  }

  private func keys(of kind: SeedKind) -> [String] {
    SeedFields.celestra.recordFields(of: kind)
      + FieldOwnership.fields(of: kind.recordType, ownedBy: .seedAtChange)
      + (kind == .category ? [] : ["subscriberCount"]) + (kind == .feed ? ["lastVerified"] : [])
  }
}

extension Record {
  /// The slug that the record has; `nil` where it is absent or blank.
  package var ownSlug: String? { self["slug"]?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// The title or name of a record without a seed.
  var catalogLabel: String {
    let field = recordType == CatalogRecordType.feedCategory ? "name" : "title"
    return self[field]?.string ?? recordName
  }

  /// The slug of a record without a seed, else its title or name. A collection's record has no slug: it is the title's
  /// when the record name is derived from that.
  var slugOrLabel: String {
    if let ownSlug { return ownSlug }
    guard recordType == CatalogRecordType.feedCollection,
      let slug = Slug.derived(fromTitle: catalogLabel),
      CatalogRecordNames.collection(slug: slug) == recordName
    else { return catalogLabel }
    return slug
  }
}

extension [SeedCategory] {
  /// The records that have a category's slug, by slug. A record with the name of another category is that one's, whatever
  /// slug it got, and a category that names its record has only that.
  package func holders(among records: [Record]) -> [String: [Record]] {
    let named = Set(map(\.expectedRecordName))
    let bySlug = Dictionary(grouping: records, by: \.ownSlug)
    return filter { $0.recordName == nil }.keyed(by: \.slug).mapValues { category in
      (bySlug[category.slug] ?? []).filter {
        $0.recordName == category.expectedRecordName || !named.contains($0.recordName)
      }
    }
  }
}
