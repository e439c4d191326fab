public import CloudKitModel
public import SchemaLanguage

/// Compares seeds with a container. It only reads, so any container handle will do, a read-only one included.
public struct SeedPlanner: Sendable {
  private let container: any Container
  private let schema: Schema?
  private let prunes: Bool

  /// - Parameters:
  ///   - schema: the container's, when it can be had: planning is then refused where it does not fit.
  ///   - prunes: also plan to delete the records that no seed mentions.
  public init(container: any Container, schema: Schema? = nil, prunes: Bool = false) {
    self.container = container
    self.schema = schema
    self.prunes = prunes
  }

  /// The plan that makes the container what the catalog says, stamped with `now` where seeding keeps time.
  ///
  /// Costs one query a page of 200 records, and one lookup for each 200 records that seem to be missing.
  /// Throws ``SchemaPreflightError``, ``MissingFeedsFolderError``, and what the container throws.
  public func plan(_ catalog: SeedCatalog, at now: Timestamp) async throws -> SeedPlan {
    try checkSchema()
    var existing = try await ExistingRecords.read(from: container)
    var desired = DesiredCatalog(catalog, existing: existing)
    let unseen = desired.records.map(\.recordName).filter { existing[$0] == nil }
    // A record that only the lookup showed may have another feed's URL.
    if try await existing.lookUp(unseen, in: container) {
      desired = DesiredCatalog(catalog, existing: existing)
    }
    var draft = SeedPlanDraft(target: container.identity, desired: desired, existing: existing)
    draft.addChanges(at: now)
    draft.addRest(prunes: prunes)
    let feeds = draft.plan.recordCounts[CatalogRecordType.publicFeed] ?? 0
    if prunes, !catalog.hasFeedsFolder, feeds > 0 { throw MissingFeedsFolderError(feeds: feeds) }
    return draft.plan
  }

  private func checkSchema() throws(SchemaPreflightError) {
    let gaps = schema.map(SchemaPreflight.gaps) ?? []
    if !gaps.isEmpty { throw SchemaPreflightError(gaps: gaps) }
  }
}
