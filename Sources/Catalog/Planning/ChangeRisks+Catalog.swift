package import CloudKitModel
package import RecordChanges

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
