public import CloudKitModel
public import SchemaLanguage

/// Compares seeds with a container and makes the plan. Only reads, so a read-only handle is enough.
public struct SeedPlanner: Sendable {
  private let container: any Container
  private let schema: Schema?
  private let planned: Schema?
  private let prunes: Bool
  private let acceptsLoss: Bool
  private let fields: SeedFields

  /// - Parameters:
  ///   - schema: the container's schema, if available: planning throws if the schema lacks what the seeds need.
  ///   - planned: the schema that is imported before the plan is applied. It must have what the seeds need in place of
  ///     the container's: a record type that the container lacks counts as one without records, and a value of another
  ///     type than the planned one as absent.
  ///   - prunes: also plan to delete the records that no seed mentions.
  /// - acceptsLoss: a feed with the title of an existing one without a seed gets a new record, although the
  ///     subscribers of the other are lost.
  ///   - fields: the keys of the seeds.
  public init(
    container: any Container, schema: Schema? = nil, planned: Schema? = nil, prunes: Bool = false,
    acceptsLoss: Bool = false, fields: SeedFields = .celestra
  ) {
    self.planned = planned
    self.fields = fields
    self.acceptsLoss = acceptsLoss
    self.container = container
    self.schema = schema
    self.prunes = prunes
  }

  /// The plan that makes the container match the catalog. Fields for times get `now`.
  ///
  /// With the seeds that were applied last, the plan also marks the fields that were changed in the container
  /// since. They are only asked for if there is something to mark.
  ///
  /// Costs one query a page of 200 records, and one lookup for each 200 records that seem to be missing, that may
  /// have moved, or that are to be deleted. Throws ``MissingFeedsFolderError`` and errors of the container.
  ///
  /// Does not check the schema: ``checkSchema(_:)`` does, before the records are read.
  ///
  /// - Parameter records: what ``existing()`` has read, perhaps while the seeds were loaded.
  public func plan(
    _ catalog: SeedCatalog, with records: ExistingCatalogRecords, at now: Timestamp,
    lastApplied: () async throws -> SeedCatalog? = { nil }
  ) async throws -> SeedPlan {
    var existing = records
    try await readRedirects(for: catalog, &existing)
    var desired = DesiredCatalog(catalog, existing: existing, acceptsLoss: acceptsLoss)
    let unseen = desired.records.map(\.recordName).filter { existing[$0] == nil }
    // A record that only the lookup showed may have another feed's URL.
    if try await existing.lookUp(unseen, in: container) {
      desired = DesiredCatalog(catalog, existing: existing, acceptsLoss: acceptsLoss)
    }
    if prunes {
      try await existing.lookUpMetadata(of: existing.feeds(besides: desired.mentioned), in: container)
    }
    var draft = SeedPlanBuilder(target: container.identity, desired: desired, existing: existing)
    draft.addChanges(at: now)
    draft.addRest(prunes: prunes)
    draft.setSchema(planned)
    if !draft.plan.isUpToDate || !draft.plan.notes.isEmpty { draft.addNames() }
    if !draft.plan.changes.isEmpty, let applied = try await lastApplied() {
      draft.markChanges(since: DesiredCatalog(applied, existing: existing))
    }
    if draft.plan.strandedReaders > 0 {
      draft.setReadersDate(await LastSubscriberRecount.date(in: container))
    }
    let feeds = draft.plan.recordCounts[CatalogRecordType.publicFeed] ?? 0
    if prunes, !catalog.hasFeedsFolder, feeds > 0 { throw MissingFeedsFolderError(feeds: feeds) }
    return draft.plan
  }

  /// Checks the schema, reads the container's records and makes the plan. Throws ``SeedSchemaCheckError``, too.
  public func plan(
    _ catalog: SeedCatalog, at now: Timestamp, lastApplied: () async throws -> SeedCatalog? = { nil }
  ) async throws -> SeedPlan {
    try checkSchema(catalog)
    return try await plan(catalog, with: existing(), at: now, lastApplied: lastApplied)
  }

  /// Reads the records of the seeded types, page by page.
  public func existing() async throws -> ExistingCatalogRecords {
    try await ExistingCatalogRecords.read(fields, from: container, planned: planned)
  }

  /// Where the feeds have moved to that no seed has the URL of any more, if any feed of the seeds is not found by its
  /// URL.
  private func readRedirects(for catalog: SeedCatalog, _ existing: inout ExistingCatalogRecords) async throws
  {
    // By index: a feed's copy would take longer than the search.
    let hasUnmatched = catalog.feeds.indices.contains {
      catalog.feeds[$0].recordName == nil && existing.feedNames(url: catalog.feeds[$0].feedURL).isEmpty
    }
    guard hasUnmatched else { return }
    let held = Set(
      catalog.feeds.flatMap { $0.recordName.map { [$0] } ?? existing.feedNames(url: $0.feedURL) })
    try await existing.lookUpMetadata(of: existing.feeds(besides: held), in: container)
  }

  /// Throws ``SeedSchemaCheckError`` if the schema lacks what the seeds need.
  public func checkSchema(_ catalog: SeedCatalog) throws(SeedSchemaCheckError) {
    let gaps =
      (planned ?? schema).map {
        SeedSchemaCheck.gaps(in: $0, for: catalog.fields, usesOptional: catalog.usesOptionalFields)
      } ?? []
    if !gaps.isEmpty { throw SeedSchemaCheckError(gaps: gaps, isPlanned: planned != nil) }
    // The records are read before the planned schema is there.
    let unlistable = schema.map(SeedSchemaCheck.unlistableTypes) ?? []
    if !unlistable.isEmpty { throw SeedSchemaCheckError(gaps: unlistable) }
  }
}

/// Reads the time of the last subscriber recount from the job's lease record
/// (Documentation/reference/catalog.md#what-jobs-remember).
enum LastSubscriberRecount {
  /// `nil` if unknown, for example with an older schema or a key that may not read the record.
  static func date(in container: some Container) async -> Timestamp? {
    let found = try? await container.lookupAll(["lease-recount-subscribers"], desiredKeys: ["finishedAt"])
    guard case .timestamp(let date)? = found?.first?.record?["finishedAt"] else { return nil }
    return date
  }
}
