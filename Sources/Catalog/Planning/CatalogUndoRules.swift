internal import CloudKitModel
public import RecordChanges

extension UndoRules {
  /// The undo rules of the Celestra catalog. A feed that a run created is not deleted if subscriptions or
  /// collections refer to it or an editor changed it. Changes by jobs do not keep it, and its FeedMetadata is
  /// deleted with it.
  ///
  /// Its risks are those of a seed plan: a feed that goes away, and readers who come to read another publisher.
  public static let catalog = UndoRules(
    references: CatalogReferences.all,
    risks: { changes, container in
      var risks: Set<SeedPlanRisk> = []
      if changes.contains(where: { $0.action == .delete && CatalogRecordType.feeds.contains($0.recordType) })
      {
        risks.insert(.subscriberLoss)
      }
      if try await movesReaders(changes, in: container) { risks.insert(.readersMove) }
      return Set(risks.map(\.rawValue))
    },
    isOwnedByJob: { field, recordType in
      if recordType == CatalogRecordType.cloudFeed { return CloudFeedFields.ofProgram.contains(field) }
      return if case .computed? = FieldOwnership.owner(of: field, in: recordType) { true } else { false }
    })

  private static func movesReaders(
    _ changes: [RecordChange], in container: any Container
  ) async throws -> Bool {
    var plan = SeedPlan(target: container.identity, changes: changes)
    try await plan.readMoves(in: container)
    plan.notes.removeAll { if case .moved(let move) = $0 { !move.changesPublisher } else { false } }
    try await plan.readReaders(of: Set(plan.moves.map(\.recordName)), in: container)
    return plan.risks.contains(.readersMove)
  }
}
