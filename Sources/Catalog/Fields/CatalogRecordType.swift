internal import CloudKitModel
internal import RecordChanges

/// The record types of the Celestra schema, by their names in it.
package enum CatalogRecordType {
  package static let feedCategory = "FeedCategory"
  package static let publicFeed = "PublicFeed"
  package static let feedCollection = "FeedCollection"
  package static let feedMetadata = "FeedMetadata"
  package static let feedSubscription = "FeedSubscription"
  package static let publicArticle = "PublicArticle"
  package static let adminLease = LeaseRecord.recordType
  package static let users = "Users"
  /// The feeds of celestra-cloud (Documentation/reference/catalog.md#feeds-of-celestra-cloud).
  package static let cloudFeed = "Feed"

  /// The types whose records come from seeds, in the order they are written
  /// (Documentation/reference/catalog.md#catalog-types).
  package static let seeded = [feedCategory, publicFeed, feedCollection]

  /// The types of feeds, of which a container has one.
  static let feeds: Set<String> = [publicFeed, cloudFeed]
}

/// What the tool knows about a record type beyond its schema: who owns its fields, which records they name, and which of
/// their values only one record may have. A new record type is a row of this table.
struct CatalogRecordTypeRules: Sendable {
  let recordType: String
  /// The owner of each field; empty for a type whose fields the tool does not divide between owners.
  let owners: [String: FieldOwner]
  let references: [ReferenceField]
  let unique: [UniqueField]

  private init(
    _ recordType: String, _ owned: [(FieldOwner, [String])], references: [ReferenceField] = [],
    unique: [(field: String, key: @Sendable (FieldValue) -> String?)] = []
  ) {
    self.recordType = recordType
    owners = owned.reduce(into: [:]) { owners, group in
      for field in group.1 { owners[field] = group.0 }
    }
    self.references = references
    self.unique = unique.map { UniqueField(recordType, $0.field, by: $0.key) }
  }

  static let all: [CatalogRecordTypeRules] = [
    CatalogRecordTypeRules(
      Types.feedCategory,
      [
        (.editorial, SeedFields.celestra.recordFields(of: .category))
      ],
      references: [
        ReferenceField(Types.feedCategory, "parentCategory", .reference, to: [Types.feedCategory])
      ], unique: [("slug", text)]),
    CatalogRecordTypeRules(
      Types.publicFeed,
      [
        (.editorial, SeedFields.celestra.recordFields(of: .feed)),
        (.seedAtCreation, ["addedAt"]),
        (.computed(by: .health), ["lastVerified", "updateFrequency"]),
        (.computed(by: .quality), ["qualityScore"]),
        (.computed(by: .subscribers), ["subscriberCount"]),
      ],
      references: [
        ReferenceField(Types.publicFeed, "category", .reference, to: [Types.feedCategory]),
        ReferenceField(Types.publicFeed, "replacedBy", .reference, to: [Types.publicFeed]),
      ], unique: [("slug", text), ("feedURL", address)]),
    CatalogRecordTypeRules(Types.cloudFeed, [], unique: [("feedURL", address)]),
    CatalogRecordTypeRules(
      Types.feedCollection,
      [
        (.editorial, SeedFields.celestra.recordFields(of: .collection)),
        (.seedAtCreation, ["createdAt"]),
        (.seedAtChange, ["updatedAt"]),
        (.computed(by: .subscribers), ["subscriberCount"]),
      ],
      references: [
        ReferenceField(Types.feedCollection, "feeds", .list, to: [Types.publicFeed])
      ]),
    CatalogRecordTypeRules(
      Types.feedMetadata,
      [
        (
          .computed(by: .health),
          [
            "averageArticlesPerWeek", "checkedURL", "completeness", "dailyChecks", "dailyRefusals", "etag",
            "failingSince", "failureCount", "feedReference", "fullContent", "healthReasons", "healthStatus",
            "idHygiene", "itemGapVariation", "lastFailureReason", "lastFalls", "lastFetchFailure",
            "lastFetchSuccess", "lastHealthCheck", "lastHTTPStatus", "lastModified", "medianItemGap",
            "newestItem", "nextCheck", "redirectCount", "redirectURL", "statusSince", "successfulAttempts",
            "suggestedURL", "totalAttempts", "transportQuality", "uptimePercentage", "validatorsRefused",
            "validity",
          ]
        ),
        (.computed(by: .ingest), ["articlesValidator", "itemIDRule", "undatedItems"]),
        (.computed(by: .subscribers), ["subscriberCount"]),
        (.unused, ["averageRating", "ratingCount"]),
      ],
      references: [
        ReferenceField(
          Types.feedMetadata, "feedReference", .reference, to: [Types.publicFeed], isDependent: true)
      ], unique: [("feedReference", { $0.reference?.recordName })]),
    CatalogRecordTypeRules(
      Types.publicArticle,
      [
        (
          .computed(by: .ingest),
          [
            "author", "content", "contentHash", "contentText", "enclosureURL", "estimatedReadingTime",
            "excerpt",
            "expiresAt",
            "feedReference", "fetchedAt", "guid", "imageURL", "language", "publishedDate", "tags", "title",
            "url", "wordCount",
          ]
        )
      ],
      references: [
        ReferenceField(Types.publicArticle, "feedReference", .reference, to: [Types.publicFeed])
      ]),
    CatalogRecordTypeRules(
      "Article", [], references: [ReferenceField("Article", "feedRecordName", .name, to: [Types.cloudFeed])]),
    CatalogRecordTypeRules(
      Types.feedSubscription, [(.app, ["feedRecordName"])],
      references: [
        ReferenceField(
          Types.feedSubscription, "feedRecordName", .name,
          to: [Types.publicFeed, Types.feedCollection, Types.cloudFeed])
      ]),
    CatalogRecordTypeRules(
      Types.adminLease,
      [
        (
          .computed(by: .lease),
          ["expiresAt", "finishedAt", "holder", "parts", "purpose", "result", "revision"]
        )
      ]),
    CatalogRecordTypeRules(Types.users, [(.system, ["roles"])]),
    CatalogRecordTypeRules(
      Sessions.participant, [],
      references: [ReferenceField(Sessions.participant, "sessionId", .name, to: [Sessions.session])]),
    CatalogRecordTypeRules(
      Sessions.message, [],
      references: [ReferenceField(Sessions.message, "sessionId", .name, to: [Sessions.session])]),
  ]

  /// The key of a text, which is compared byte by byte; an empty one counts as none.
  @Sendable private static func text(_ value: FieldValue) -> String? {
    value.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The key of an address, whose spellings count as one (``WebAddress/normalized(_:)``).
  @Sendable private static func address(_ value: FieldValue) -> String? {
    text(value).map(WebAddress.normalized)
  }

  private typealias Types = CatalogRecordType
  private typealias Sessions = LiveSessionRecordType
}
