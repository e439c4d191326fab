package import CloudKitModel
package import RecordChanges

extension UndoRules {
  /// The undo rules of the Celestra catalog. A feed that a run created is not deleted if subscriptions or
  /// collections refer to it or an editor changed it. Changes by jobs do not keep it, and its FeedMetadata is
  /// deleted with it.
  ///
  /// Its risks are those of a seed plan: a feed with readers that goes away, and readers who come to read another
  /// publisher (Documentation/reference/catalog.md#readers-at-stake).
  package static let catalog = UndoRules(
    references: CatalogReferences.all, unique: CatalogUniqueFields.all,
    risks: { changes, container in try await ChangeRisks.catalog(changes, in: container).names },
    isOwnedByJob: { field, recordType in
      if recordType == CatalogRecordType.cloudFeed { return CloudFeedField.isComputed(field) }
      return if case .computed? = FieldOwnership.owner(of: field, in: recordType) { true } else { false }
    })
}

extension ChangeRisks {
  /// What changes do to the readers of feeds and collections, by the rules of a seed plan
  /// (Documentation/reference/catalog.md#readers-at-stake). Throws the container's errors.
  package static func catalog(_ changes: [RecordChange], in container: any Container) async throws
    -> ChangeRisks
  {
    let types = CatalogRecordType.feeds.union([CatalogRecordType.feedCollection])
    var plan = SeedPlan(
      target: container.identity, changes: changes.filter { types.contains($0.recordType) })
    plan.findMoves()
    try await plan.readRedirects(in: container)
    plan.notes.removeAll { if case .moved(let move) = $0 { !move.changesPublisher } else { false } }
    try await plan.readReaders(
      of: plan.deletedNames.union(plan.moves.map(\.recordName)), in: container)
    let risks = plan.risks.intersection([.subscriberLoss, .readersMove])
    return ChangeRisks(names: Set(risks.map(\.rawValue)), readers: plan.readers)
  }
}
