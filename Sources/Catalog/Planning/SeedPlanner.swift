package import CloudKitModel
internal import RecordChanges
package import SchemaLanguage

/// Compares seeds with a container and makes the plan. Only reads, so a read-only handle is enough.
package struct SeedPlanner: Sendable {
  let container: any Container
  let schema: Schema?
  private let planned: Schema?
  private let prunes: Bool
  let acceptsLoss: Bool
  let recentlyCreated: Set<String>

  /// - Parameters:
  ///   - schema: the container's schema, if available: planning throws if the schema lacks what the seeds need.
  ///   - planned: the schema that is imported before the plan is applied. It must have what the seeds need in place of
  ///     the container's: a record type that the container lacks counts as one without records, and a value of another
  ///     type than the planned one as absent.
  ///   - prunes: also plan to delete the records that no seed mentions.
  /// - acceptsLoss: a feed with the title of an existing one without a seed gets a new record, although the
  ///     subscribers of the other are lost.
  ///   - recentlyCreated: records that are looked up if queries do not show them yet.
  package init(
    container: any Container, schema: Schema? = nil, planned: Schema? = nil, prunes: Bool = false,
    acceptsLoss: Bool = false, recentlyCreated: Set<String> = []
  ) {
    self.recentlyCreated = recentlyCreated
    self.planned = planned
    self.acceptsLoss = acceptsLoss
    self.container = container
    self.schema = schema
    self.prunes = prunes
  }

  /// Reads the records of the seeded types, page by page: what ``plan(_:with:at:)`` begins with.
  package func existing() async throws -> ExistingCatalogRecords {
    var existing = ExistingCatalogRecords(planned: planned)
    try await existing.readPages(from: container)
    return existing
  }

  /// The plan that makes the container match the catalog. Fields for times get `now`.
  ///
  /// Costs one query a page of 200 records, one lookup for each 200 records that seem to be missing or whose feeds may have
  /// moved or are deleted, one for the redirects of feeds that move, one query for 200 subscriptions of the feeds at stake,
  /// one more if a title is all that says that a feed moved, and with `prunes` a query for each field that may refer to a
  /// deleted record. Throws ``MissingFeedsFolderError`` and errors of the container.
  ///
  /// Does not check the schema: ``checkSchema(_:)`` does, before the records are read.
  ///
  /// - Parameter existing: what ``existing()`` has read, perhaps while the seeds were loaded. Gets what else matching needs.
  package func plan(
    _ catalog: SeedCatalog, with existing: inout ExistingCatalogRecords, at now: Timestamp
  ) async throws -> SeedPlan {
    if prunes, !catalog.hasFeedsFolder {
      let feeds = existing.records.values.count { $0.recordType == CatalogRecordType.publicFeed }
      if feeds > 0 { throw MissingFeedsFolderError(feeds: feeds) }
    }
    try await read(for: catalog, &existing)
    let desired = DesiredCatalog(catalog, existing: existing, acceptsLoss: acceptsLoss)
    var plan = SeedPlan(desired, existing, in: container.identity, at: now, prunes: prunes, for: planned)
    try await plan.readRedirects(in: container)
    try await plan.readReaders(of: plan.recordsAtStake, in: container) { existing[$0]?.publishedReaders() }
    if prunes {
      let references = ReferenceFields(CatalogReferences.all, in: schema)
      plan.changes = try await plan.changes.withCascades(references, in: container)
      let lost = UserCreatedRecordTypes(schema).irreversible(plan.changes.filter(\.isCascade))
      plan.unrestorableTypes = Set(lost.map(\.recordType))
    }
    return plan
  }

  /// Reads all that matching needs beside the records of the seeded types.
  private func read(for catalog: SeedCatalog, _ existing: inout ExistingCatalogRecords) async throws {
    try await existing.readSlugField(schema, from: container)
    var unmatched = UnmatchedFeeds(catalog.feeds, existing)
    let fresh = recentlyCreated.filter { existing[$0] == nil }
    let needsMetadata = prunes || !unmatched.feeds.isEmpty
    try await existing.lookUp(
      fresh.union(catalog.recordNames(of: unmatched.feeds)),
      metadataOf: needsMetadata ? unmatched.records.map(\.recordName) + fresh : [], in: container)
    guard !acceptsLoss, !unmatched.feeds.isEmpty else { return }
    // A record that only the lookup showed may have a feed's URL.
    var rest = UnmatchedFeeds(catalog.feeds, existing)
    let doubtful = existing.moves(of: rest.feeds, among: rest.records).suspected.filter(\.hasSameTitle)
    if !doubtful.isEmpty { try await existing.readReaders(of: doubtful.map(\.recordName), in: container) }
  }

  /// Checks the schema, reads the container's records and makes the plan. Throws ``SeedSchemaCheckError``, too.
  package func plan(_ catalog: SeedCatalog, at now: Timestamp) async throws -> SeedPlan {
    try checkSchema(catalog)
    var existing = try await existing()
    return try await plan(catalog, with: &existing, at: now)
  }

  /// Throws ``SeedSchemaCheckError`` if the schema lacks what the seeds need.
  package func checkSchema(_ catalog: SeedCatalog) throws(SeedSchemaCheckError) {
    let gaps =
      (planned ?? schema).map {
        SeedSchemaCheck.gaps(in: $0, usesOptional: catalog.usesOptionalFields)
      } ?? []
    if !gaps.isEmpty { throw SeedSchemaCheckError(gaps: gaps, isPlanned: planned != nil) }
    // The records are read before the planned schema is there.
    let unlistable = schema.map(SeedSchemaCheck.unlistableTypes) ?? []
    if !unlistable.isEmpty { throw SeedSchemaCheckError(gaps: unlistable) }
  }
}

extension SeedCatalog {
  /// The names of the records of all entries, as far as the files say them.
  fileprivate func recordNames(of new: [SeedFeed]) -> [String] {
    categories.map(\.expectedRecordName) + feeds.compactMap(\.recordName)
      + new.map { CatalogRecordNames.feed(url: $0.feedURL) } + collections.map(\.expectedRecordName)
  }
}
