public import CloudKitModel
internal import RecordChanges
public import SchemaLanguage

/// Compares seeds with a container and makes the plan. Only reads, so a read-only handle is enough.
public struct SeedPlanner: Sendable {
  private let container: any Container
  private let schema: Schema?
  private let planned: Schema?
  private let prunes: Bool
  private let acceptsLoss: Bool
  private let fields: SeedFields
  private let recentlyCreated: Set<String>

  /// - Parameters:
  ///   - schema: the container's schema, if available: planning throws if the schema lacks what the seeds need.
  ///   - planned: the schema that is imported before the plan is applied. It must have what the seeds need in place of
  ///     the container's: a record type that the container lacks counts as one without records, and a value of another
  ///     type than the planned one as absent.
  ///   - prunes: also plan to delete the records that no seed mentions.
  /// - acceptsLoss: a feed with the title of an existing one without a seed gets a new record, although the
  ///     subscribers of the other are lost.
  ///   - fields: the keys of the seeds.
  ///   - recentlyCreated: records that are looked up if queries do not show them yet.
  public init(
    container: any Container, schema: Schema? = nil, planned: Schema? = nil, prunes: Bool = false,
    acceptsLoss: Bool = false, fields: SeedFields = .celestra, recentlyCreated: Set<String> = []
  ) {
    self.recentlyCreated = recentlyCreated
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
  /// Costs one query a page of 200 records, one lookup for each 200 records that seem to be missing, that may have moved,
  /// or that are to be deleted, one query for 200 subscriptions of the feeds at stake, and with `prunes` a query for each
  /// field that may refer to a deleted record. Throws ``MissingFeedsFolderError`` and errors of the container.
  ///
  /// Does not check the schema: ``checkSchema(_:)`` does, before the records are read.
  ///
  /// - Parameter records: what ``existing()`` has read, perhaps while the seeds were loaded.
  public func plan(
    _ catalog: SeedCatalog, with records: ExistingCatalogRecords, at now: Timestamp,
    lastApplied: () async throws -> SeedCatalog? = { nil }
  ) async throws -> SeedPlan {
    var existing = records
    try await readSchema(&existing)
    var desired = DesiredCatalog(catalog, existing: existing, acceptsLoss: acceptsLoss)
    if !desired.matching.moveCandidates.isEmpty {
      try await existing.lookUpMetadata(of: desired.matching.moveCandidates, in: container)
      desired = DesiredCatalog(catalog, existing: existing, acceptsLoss: acceptsLoss)
    }
    let unseen = recentlyCreated.union(desired.records.map(\.recordName)).filter { existing[$0] == nil }
      .sorted()
    // A record that only the lookup showed may have another feed's URL.
    if try await existing.lookUp(unseen, in: container) {
      desired = DesiredCatalog(catalog, existing: existing, acceptsLoss: acceptsLoss)
    }
    if prunes {
      try await existing.lookUpMetadata(of: existing.feeds(besides: desired.mentioned), in: container)
    }
    var draft = draft(desired, existing, now)
    // What is read may put other records at stake.
    while try await readReaders(of: draft, &existing) {
      desired = DesiredCatalog(catalog, existing: existing, acceptsLoss: acceptsLoss)
      draft = self.draft(desired, existing, now)
    }
    if existing.readers.values.contains(where: { $0.published != nil }) {
      draft.setReadersDate(await LastSubscriberRecount.date(in: container))
    }
    if !draft.plan.isUpToDate || !draft.plan.notes.isEmpty { draft.addNames() }
    if !draft.plan.changes.isEmpty, let applied = try await lastApplied() {
      draft.markChanges(since: DesiredCatalog(applied, existing: existing))
    }
    if draft.plan.count(.update) > 0 {
      draft.markReverts(of: await PulledValues.remembered(in: container), in: catalog)
    }
    let feeds = draft.plan.recordCounts[CatalogRecordType.publicFeed] ?? 0
    if prunes, !catalog.hasFeedsFolder, feeds > 0 { throw MissingFeedsFolderError(feeds: feeds) }
    var plan = draft.plan
    if prunes { try await addCascades(to: &plan) }
    return plan
  }

  /// What the container deletes with the records of the plan.
  private func addCascades(to plan: inout SeedPlan) async throws {
    let references = ReferenceFields(CatalogReferences.all, in: schema)
    plan.changes = try await plan.changes.withCascades(references, in: container)
    let cascades = plan.changes.filter(\.isCascade)
    plan.unrestorableTypes = Set(UserCreatedRecordTypes(schema).irreversible(cascades).map(\.recordType))
  }

  private func draft(
    _ desired: DesiredCatalog, _ existing: ExistingCatalogRecords, _ now: Timestamp
  ) -> SeedPlanBuilder {
    var draft = SeedPlanBuilder(target: container.identity, desired: desired, existing: existing)
    draft.addChanges(at: now)
    draft.addRest(prunes: prunes)
    draft.setSchema(planned)
    return draft
  }

  /// Reads the readers that a plan must know, and the redirects of the feeds that it moves. Returns whether there were any
  /// to read.
  private func readReaders(of draft: SeedPlanBuilder, _ existing: inout ExistingCatalogRecords) async throws
    -> Bool
  {
    let names = draft.recordsAtStake.filter { existing.readers[$0] == nil }
    guard !names.isEmpty else { return false }
    let moved = draft.plan.moves.filter { names.contains($0.recordName) }.compactMap {
      existing[$0.recordName]
    }
    try await existing.lookUpMetadata(of: moved, in: container)
    let published = names.map { ($0, existing[$0]?.publishedReaders) }
    let counts = try await SubscriptionReaders.catalog(in: container)
      .counts(published: Dictionary(published) { first, _ in first })
    existing.readers.merge(counts) { $1 }
    return true
  }

  /// Whether the container can store the slugs of feeds. Without its schema, a record with a slug proves it, else a query
  /// that only a schema with the field answers.
  private func readSchema(_ existing: inout ExistingCatalogRecords) async throws {
    let type = CatalogRecordType.publicFeed
    if let schema = planned ?? schema {
      existing.storesSlugs = schema[recordType: type]?[field: "slug"] != nil
    } else if !existing.slugHolders.isEmpty {
      existing.storesSlugs = true
    } else {
      let query = Query(type, filters: [Filter("slug", equals: .string(""))])
      do {
        _ = try await container.query(QueryRequest(query, desiredKeys: [], resultsLimit: 1))
        existing.storesSlugs = true
      } catch let refusal as ServerError where refusal.code == .badRequest {
        existing.storesSlugs = false
      }
    }
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

/// Reads as of when readers were counted last from the job's lease record
/// (Documentation/reference/catalog.md#what-jobs-remember).
enum LastSubscriberRecount {
  /// `nil` if unknown, for example with an older schema or a key that may not read the record.
  static func date(in container: some Container) async -> Timestamp? {
    // A date that cannot be read must not stop a plan.
    let runs = try? await LastJobRun.lastOfEachShard(of: LeaseName("recount subscribers"), in: container)
    return runs?.countedAsOf
  }
}
