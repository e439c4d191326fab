internal import CloudKitModel
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
