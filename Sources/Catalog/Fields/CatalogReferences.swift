public import RecordChanges
internal import SchemaLanguage

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

  /// The field that marks a record as retired (Documentation/reference/catalog.md#retired-feeds).
  public static let retirement = "isRetired"

  /// The references from records of seeds, which a plan of seeds must not leave without a target.
  public static let betweenSeeds = ReferenceFields(
    all.filter { Types.seeded.contains($0.recordType) }, in: nil)
}
