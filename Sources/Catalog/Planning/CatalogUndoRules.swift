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
      let updates = changes.filter { $0.action == .update }
      var risks = try await ChangeRisks.catalog(updates, in: container).names
      // A feed that the undo deletes may gain readers until then.
      if changes.contains(where: { $0.action == .delete && CatalogRecordType.feeds.contains($0.recordType) })
      {
        risks.insert(SeedPlanRisk.subscriberLoss.rawValue)
      }
      return risks
    },
    isOwnedByJob: { field, recordType in
      if recordType == CatalogRecordType.cloudFeed { return CloudFeedFields.ofProgram.contains(field) }
      return if case .computed? = FieldOwnership.owner(of: field, in: recordType) { true } else { false }
    })
}
