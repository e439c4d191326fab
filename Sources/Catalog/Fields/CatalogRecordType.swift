internal import CloudKitModel
internal import Cryptography
package import RecordChanges
internal import SchemaLanguage

package enum CatalogRecordType {
  package static let feedCategory = "FeedCategory"
  package static let publicFeed = "PublicFeed"
  package static let feedCollection = "FeedCollection"
  package static let feedMetadata = "FeedMetadata"
  package static let feedSubscription = PersonDigestPlaces.subscription
  package static let publicArticle = "PublicArticle"
  package static let adminLease = LeaseRecord.recordType
  /// The feeds of celestra-cloud (Documentation/reference/catalog.md#feeds-of-celestra-cloud).
  package static let cloudFeed = "Feed"
  package static let cloudArticle = "Article"

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
    _ recordType: String, _ owned: [FieldOwner: [String]] = [:],
    references: [(field: String, kind: ReferenceField.Kind, targets: Set<String>)] = [],
    unique: [(field: String, key: @Sendable (FieldValue) -> String?)] = []
  ) {
    self.recordType = recordType
    owners = owned.reduce(into: [:]) { owners, group in
      for field in group.value { owners[field] = group.key }
    }
    self.references = references.map { field, kind, targets in
      ReferenceField(
        recordType, field, kind, to: targets, isDependent: recordType == CatalogRecordType.feedMetadata)
    }
    self.unique = unique.map { UniqueField(recordType, $0.field, by: $0.key) }
  }

  static let all: [CatalogRecordTypeRules] = [
    CatalogRecordTypeRules(
      Types.feedCategory, [.editorial: SeedFields.celestra.recordFields(of: .category)],
      references: [("parentCategory", .reference, [Types.feedCategory])], unique: [("slug", text)]),
    CatalogRecordTypeRules(
      Types.publicFeed,
      [
        .editorial: SeedFields.celestra.recordFields(of: .feed), .seedAtCreation: ["addedAt"],
        .computed(by: .health): ["lastVerified", "updateFrequency"],
        .computed(by: .quality): ["qualityScore"], .computed(by: .subscribers): ["subscriberCount"],
      ],
      references: [
        ("category", .reference, [Types.feedCategory]), ("replacedBy", .reference, [Types.publicFeed]),
      ], unique: [("slug", text), ("feedURL", address)]),
    CatalogRecordTypeRules(Types.cloudFeed, unique: [("feedURL", address)]),
    CatalogRecordTypeRules(
      Types.feedCollection,
      [
        .editorial: SeedFields.celestra.recordFields(of: .collection), .seedAtCreation: ["createdAt"],
        .seedAtChange: ["updatedAt"], .computed(by: .subscribers): ["subscriberCount"],
      ], references: [("feeds", .list, [Types.publicFeed])]),
    CatalogRecordTypeRules(
      Types.feedMetadata,
      [
        .computed(by: .health): [
          "averageArticlesPerWeek", "checkedURL", "completeness", "dailyChecks", "dailyRefusals", "etag",
          "failingSince", "failureCount", "feedReference", "fullContent", "healthReasons", "healthStatus",
          "idHygiene", "itemGapVariation", "lastFailureReason", "lastFalls", "lastFetchFailure",
          "lastFetchSuccess", "lastHealthCheck", "lastHTTPStatus", "lastModified", "medianItemGap",
          "newestItem", "nextCheck", "publisherSchedule", "redirectCount", "redirectURL", "statusSince",
          "successfulAttempts", "suggestedURL", "totalAttempts", "transportQuality", "uptimePercentage",
          "validatorsRefused", "validatorsURL", "validity",
        ],
        .computed(by: .ingest): ["articlesValidator", "itemIDRule", "undatedItems"],
        .computed(by: .subscribers): ["subscriberCount"], .unused: ["averageRating", "ratingCount"],
      ],
      references: [("feedReference", .reference, [Types.publicFeed])],
      unique: [("feedReference", { $0.reference?.recordName })]),
    CatalogRecordTypeRules(
      Types.publicArticle,
      [
        .computed(by: .ingest): [
          "author", "content", "contentHash", "contentText", "enclosureURL", "estimatedReadingTime",
          "excerpt", "expiresAt", "feedReference", "fetchedAt", "guid", "imageURL", "language",
          "publishedDate", "tags", "title", "url", "wordCount",
        ]
      ], references: [("feedReference", .reference, [Types.publicFeed])]),
    CatalogRecordTypeRules(
      Types.cloudArticle, references: [("feedRecordName", .name, [Types.cloudFeed])]),
    CatalogRecordTypeRules(
      Types.feedSubscription, [.app: ["feedRecordName"]],
      references: [
        ("feedRecordName", .name, [Types.publicFeed, Types.feedCollection, Types.cloudFeed])
      ]),
    CatalogRecordTypeRules(
      Types.adminLease,
      [
        .computed(by: .lease): [
          "expiresAt", "finishedAt", "holder", "parts", "purpose", "result", "revision",
        ]
      ]),
    CatalogRecordTypeRules(SystemNames.users, [.system: ["roles"]]),
    CatalogRecordTypeRules(
      Sessions.participant, references: [("sessionId", .name, [Sessions.session])]),
    CatalogRecordTypeRules(Sessions.message, references: [("sessionId", .name, [Sessions.session])]),
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

/// The record types of the live-session schema, by their names in it
/// (Documentation/reference/catalog.md#session-roles).
package enum LiveSessionRecordType {
  package static let session = "LiveSession"
  package static let participant = "LiveSessionParticipant"
  package static let message = "ChatMessage"
  /// A report of a user about one of the others.
  package static let report = "AbuseReport"
}

/// The references between the record types of the shipped schemas. Plans, undo, deletions and verification use this
/// table, so that a reference is declared once (Documentation/reference/catalog.md#links).
package enum CatalogReferences {
  package static let all = CatalogRecordTypeRules.all.flatMap(\.references)

  /// The field that marks a record as retired (Documentation/reference/catalog.md#retired-feeds).
  package static let retirement = "isRetired"

  /// The references from records of seeds, which a plan of seeds must not leave without a target.
  package static let betweenSeeds = ReferenceFields(
    all.filter { CatalogRecordType.seeded.contains($0.recordType) }, in: nil)
}

/// The fields whose value only one record of a type may have. Undo and verification use this table
/// (Documentation/reference/catalog.md#uniqueness).
package enum CatalogUniqueFields {
  package static let all = CatalogRecordTypeRules.all.flatMap(\.unique)
}

/// The owner of a field: the only one that may write it.
package enum FieldOwner: Sendable, Hashable {
  /// An editor, in the seeds.
  case editorial
  /// Seeding, once, when it creates the record. Editors cannot declare it.
  case seedAtCreation
  /// Seeding, when it creates the record and whenever it changes an editorial field.
  case seedAtChange
  /// A job, from other records or from the feed itself.
  case computed(by: CatalogJob)
  /// The apps, for their users.
  case app
  /// Declared by the schema, but not used yet: kept as it is, never written.
  case unused
  case system
}

package enum CatalogJob: String, Sendable, Hashable, CaseIterable {
  case health = "health check"
  case subscribers = "recount subscribers"
  case quality = "recount quality"
  case ingest = "article ingest"
  /// The lease that keeps two runs apart.
  case lease = "run lease"
}

/// The table of the owners of all fields of the schema (Documentation/reference/catalog.md#field-ownership). Seeding
/// never writes a computed field, a job never an editorial one, and no job a field of another job.
package enum FieldOwnership {
  /// `nil` for a field the schema does not have.
  package static func owner(of field: String, in recordType: String) -> FieldOwner? {
    table[recordType]?[field]
  }

  package static func owners(in recordType: String) -> [String: FieldOwner] { table[recordType] ?? [:] }

  /// Sorted.
  package static func fields(of recordType: String, ownedBy owner: FieldOwner) -> [String] {
    owners(in: recordType).filter { $0.value == owner }.map(\.key).sorted()
  }

  private static let table = Dictionary(
    uniqueKeysWithValues: CatalogRecordTypeRules.all.filter { !$0.owners.isEmpty }.map {
      ($0.recordType, $0.owners)
    })
}

/// Record names derived from content, so that every machine uses the same name
/// (Documentation/reference/catalog.md#record-names). In CloudKit, only record names are unique.
package enum CatalogRecordNames {
  /// Only for a feed that declares no `recordName` and whose URL no record in the container has yet.
  package static func feed(url: String) -> String { UUIDv5.url(WebAddress.spelled(url)) }

  package static func collection(slug: String) -> String { UUIDv5.url("celestra:collection/\(slug)") }

  package static func metadata(feed recordName: String) -> String {
    UUIDv5.url("celestra:metadata/\(recordName)")
  }

  /// The FeedSubscription of a user to a feed: 64 lowercase hexadecimal digits.
  package static func subscription(feed recordName: String, user userRecordName: String) -> String {
    SHA256.hex("\(recordName)-\(userRecordName)")
  }

  /// The PublicArticle of an item: 64 lowercase hexadecimal digits.
  package static func article(feed recordName: String, guid: String) -> String {
    SHA256.hex("\(recordName)|\(guid)")
  }

  /// Why a person does not give this name to a record; `nil` for 1 to 255 printable ASCII characters that do not start with
  /// an underscore, as names of users do (Documentation/reference/catalog.md#record-names).
  package static func problem(of name: String) -> String? {
    let isPrintable = name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    return Record.isName(name) && !name.hasPrefix("_") && isPrintable
      ? nil
      : "'\(name)' is not a record name: 1 to \(ContainerLimits.recordName) printable ASCII characters, not starting with an underscore"
  }

  /// The same for a name in a seed, which has no spaces.
  package static func problem(ofSeed name: String) -> String? {
    problem(of: name)
      ?? (name.contains(" ") ? "'\(name)' is not a record name of a seed: it has a space" : nil)
  }
}
