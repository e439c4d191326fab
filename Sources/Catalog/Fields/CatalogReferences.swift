public import RecordChanges

/// The references between the record types of the shipped schemas. Plans, undo, deletions and verification use this
/// table, so that a reference is declared once (Documentation/reference/catalog.md#links).
public enum CatalogReferences {
  private typealias Types = CatalogRecordType

  public static let all: [ReferenceField] = [
    ReferenceField(Types.feedCategory, "parentCategory", .reference, to: [Types.feedCategory]),
    ReferenceField(Types.publicFeed, "category", .reference, to: [Types.feedCategory]),
    ReferenceField(Types.publicFeed, "replacedBy", .reference, to: [Types.publicFeed]),
    ReferenceField(Types.feedCollection, "feeds", .list, to: [Types.publicFeed]),
    ReferenceField(
      Types.feedMetadata, "feedReference", .reference, to: [Types.publicFeed], isDependent: true),
    ReferenceField(Types.publicArticle, "feedReference", .reference, to: [Types.publicFeed]),
    ReferenceField("Article", "feedRecordName", .name, to: ["Feed"]),
    ReferenceField(
      Types.feedSubscription, "feedRecordName", .name, to: [Types.publicFeed, Types.feedCollection, "Feed"]),
    ReferenceField("LiveSessionParticipant", "sessionId", .name, to: ["LiveSession"]),
    ReferenceField("ChatMessage", "sessionId", .name, to: ["LiveSession"]),
  ]
}

extension UndoRules {
  /// The undo rules of the Celestra catalog. A feed that a run created is not deleted if subscriptions or
  /// collections refer to it or an editor changed it. Changes by jobs do not keep it, and its FeedMetadata is
  /// deleted with it.
  public static let catalog = UndoRules(
    references: CatalogReferences.all,
    risks: [CatalogRecordType.publicFeed: "subscriber-loss"],
    isOwnedByJob: { field, recordType in
      if case .computed? = FieldOwnership.owner(of: field, in: recordType) { true } else { false }
    })
}
