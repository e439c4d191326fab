public import RecordChanges

extension UndoRules {
  /// The undo rules of the Celestra catalog. A feed that a run created is not deleted if subscriptions or
  /// collections refer to it or an editor changed it. Changes by jobs do not keep it, and its FeedMetadata is
  /// deleted with it.
  public static let catalog = UndoRules(
    referrers: [
      Referrer(
        CatalogRecordType.feedMetadata, "feedReference", .reference, to: [CatalogRecordType.publicFeed],
        isDependent: true),
      Referrer(
        CatalogRecordType.feedSubscription, "feedRecordName", .name,
        to: [CatalogRecordType.publicFeed, CatalogRecordType.feedCollection]),
      Referrer(CatalogRecordType.feedCollection, "feeds", .list, to: [CatalogRecordType.publicFeed]),
      Referrer(
        CatalogRecordType.publicArticle, "feedReference", .reference, to: [CatalogRecordType.publicFeed]),
      Referrer(CatalogRecordType.publicFeed, "category", .reference, to: [CatalogRecordType.feedCategory]),
      Referrer(
        CatalogRecordType.feedCategory, "parentCategory", .reference, to: [CatalogRecordType.feedCategory]),
    ],
    risks: [CatalogRecordType.publicFeed: "subscriber-loss"],
    isOwnedByJob: { field, recordType in
      if case .computed? = FieldOwnership.owner(of: field, in: recordType) { true } else { false }
    })
}
