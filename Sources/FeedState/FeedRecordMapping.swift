internal import Catalog
package import CloudKitModel

/// The record type and field names of a container's feeds (Documentation/reference/feeds.md#record-types).
public struct FeedRecordMapping: Sendable, Hashable {
  /// How a feed's category is stored.
  public enum CategoryField: Sendable, Hashable {
    /// A reference to a record with a `slug`.
    case reference
    /// The category's own word.
    case text
  }

  public var recordType: String
  public var feedURL: String
  public var title: String
  /// The address of the feed's site; `nil` without such a field.
  public var siteURL: String?
  /// The slug of the feed's seed; `nil` without such a field.
  public var slug: String?
  public var category: String
  public var categoryField: CategoryField
  public var subscriberCount: String
  /// The type of the record beside each feed that keeps the state of its checks; `nil` when the feed's own record does.
  public var stateType: String?
  /// The field for each fact of ``FeedMetadataFields`` that is kept; `nil` when all are, under their own names.
  public var stateFields: [String: String]?
  /// Those of these fields that hold a DOUBLE where the fact is a whole number.
  public var doubleFields: Set<String> = []
  /// The field for retired feeds, which are neither checked nor shown; `nil` without such a field.
  public var isRetired: String?
  /// The moment of the last successful check, which moves once a day; `nil` when it is not kept.
  public var lastVerified: String?
  /// The usual hours between items; `nil` when they are not kept.
  public var updateFrequency: String?
  /// Whether the state says which document the stored articles cover.
  public var keepsArticleCoverage = false
  /// The newer version of the profile's schema; `nil` when there is one version.
  public var newerSchema: NewerSchema?

  /// Whether the container's schema lacks ``fieldsOfAlerts``, which are then neither read nor written.
  public private(set) var hasOlderSchema = false

  /// The fields of FeedMetadata that the schema of version 0.1.0 lacks. ``probe`` shows whether a container has them.
  package static let fieldsOfAlerts: Set<String> = [
    probe, "dailyRefusals", "healthReasons", "lastFalls", "lastHTTPStatus", "suggestedURL",
  ]
  private static let probe = "failingSince"

  /// What differs in a newer version of a profile's schema.
  public struct NewerSchema: Sendable, Hashable {
    /// A field of the feeds' type that only the newer version has.
    public var distinctiveField: String
    /// As ``FeedRecordMapping/stateFields``.
    public var stateFields: [String: String]
    /// As ``FeedRecordMapping/lastVerified``.
    public var lastVerified: String?
  }

  /// PublicFeed and FeedMetadata of the Celestra catalog.
  public static let celestra = FeedRecordMapping(
    recordType: CatalogRecordType.publicFeed, feedURL: "feedURL", title: "title", siteURL: "siteURL",
    slug: "slug", category: "category", categoryField: .reference, subscriberCount: "subscriberCount",
    stateType: CatalogRecordType.feedMetadata,
    stateFields: nil, isRetired: "isRetired", lastVerified: "lastVerified", updateFrequency: "updateFrequency"
  )

  /// Feed of celestra-cloud, which keeps the state of its checks in its own fields: the names of December 2025
  /// (schema/celestra-feed.ckdb), and those of May 2026 where the container has them.
  ///
  /// `etag` and `lastModified` are not in it. They belong to celestra-cloud: after a value that another program wrote,
  /// its next request gets 304, and it misses the items that are new. `updateFrequency` was seconds, and is items a day
  /// in the newer schema, which celestra-cloud keeps.
  public static let celestraCloud = FeedRecordMapping(
    recordType: "Feed", feedURL: "feedURL", title: "title", siteURL: "siteURL", category: "category",
    categoryField: .text,
    subscriberCount: "subscriberCount", stateType: nil,
    stateFields: checkCounts.merging([
      "lastHealthCheck": "lastAttempted", "medianItemGap": "updateFrequency",
    ]) { $1 },
    doubleFields: ["updateFrequency"],
    lastVerified: nil, updateFrequency: nil,
    newerSchema: NewerSchema(
      distinctiveField: "attemptedTimestamp",
      stateFields: checkCounts.merging(["lastHealthCheck": "attemptedTimestamp"]) { $1 },
      lastVerified: "verifiedTimestamp"))

  /// The facts of a check that both schemas of celestra-cloud keep under one name.
  private static let checkCounts = [
    "failureCount": "failureCount", "lastFailureReason": "lastFailureReason",
    "totalAttempts": "totalAttempts",
    "successfulAttempts": "successfulAttempts",
  ]

  /// The ready profiles, by the name that the project file uses.
  public static let profiles: [String: FeedRecordMapping] = [
    "celestra": .celestra, "celestra-cloud": .celestraCloud,
  ]

  /// The mapping with the field names that the container's schema has, which costs one request. Throws the errors of a
  /// query, but not those for a missing type.
  package func matching(_ container: any Container) async throws -> FeedRecordMapping {
    var mapping = self
    let moment = FieldValue.timestamp(Timestamp(milliseconds: 0))
    if let stateType, stateFields == nil,
      !(try await container.hasField(Self.probe, of: stateType, sample: moment))
    {
      let older = FeedMetadataFields.names.filter { !Self.fieldsOfAlerts.contains($0) }
      mapping.stateFields = Dictionary(uniqueKeysWithValues: older.map { ($0, $0) })
      mapping.hasOlderSchema = true
    }
    guard let newerSchema else { return mapping }
    mapping.newerSchema = nil
    guard
      try await container.hasField(
        newerSchema.distinctiveField, of: recordType, sample: moment)
    else { return mapping }
    mapping.stateFields = newerSchema.stateFields
    mapping.lastVerified = newerSchema.lastVerified
    return mapping
  }

  /// The mapping for a run that stores articles. The state says which document they cover, where the schema has the field
  /// for it; it costs one request to know. With a profile whose validators belong to another program as well, a run that
  /// stores articles uses these validators: who wrote them has stored the articles.
  package func keepingArticles(in container: any Container) async throws -> FeedRecordMapping {
    var mapping = self
    guard let stateType else {
      mapping.stateFields?.merge(["etag": "etag", "lastModified": "lastModified"]) { $1 }
      return mapping
    }
    mapping.keepsArticleCoverage = try await container.hasField(
      "articlesValidator", of: stateType, sample: .string(""))
    if mapping.keepsArticleCoverage {
      let names = FeedMetadataFields.articleRows.map { ($0.name, $0.name) }
      mapping.stateFields?.merge(names) { $1 }
    }
    return mapping
  }

  /// The fields of a feed that a check reads, its state aside.
  package var feedFields: [String] {
    [feedURL, title, siteURL, slug, isRetired, lastVerified, updateFrequency].compactMap(\.self)
      + (stateType == nil ? stateFieldNames : [])
  }

  package func isRetired(_ feed: Record) -> Bool { isRetired.flatMap { feed[$0]?.flag } ?? false }

  /// A value as its field stores it.
  package func stored(_ value: FieldValue?, in field: String) -> FieldValue? {
    guard doubleFields.contains(field), let number = value?.int64 else { return value }
    return .double(Double(number))
  }

  /// The stored names of the fields that keep the state.
  package var stateFieldNames: [String] { rows.map(\.field) }

  /// The facts that are kept, each with its stored name.
  package var rows: [(row: FeedMetadataFields.Row, field: String)] {
    let articles = keepsArticleCoverage ? FeedMetadataFields.articleRows : []
    return (FeedMetadataFields.rows + articles).compactMap { row in
      guard let stateFields else { return (row, row.name) }
      return stateFields[row.name].map { (row, $0) }
    }
  }
}

extension Container {
  /// Whether a record type has a field. A query says so without the right to read the schema: only of a field
  /// that does not exist is the refusal that it was not found (Documentation/reference/web-services.md#query-refusals).
  ///
  /// - Parameter sample: any value of the field's type.
  package func hasField(_ field: String, of recordType: String, sample: FieldValue) async throws -> Bool {
    let filter = Filter(FieldName(field), equals: sample)
    do {
      _ = try await query(
        QueryRequest(Query(recordType, filters: [filter]), desiredKeys: [], resultsLimit: 1))
      return true
    } catch let error as ServerError where error.code == .notFound {
      return false
    } catch let error as ServerError where error.code == .badRequest {
      if error.reason.hasPrefix("Did not find field: '\(field)'") { return false }
      if error.reason.contains("is not marked queryable") { return true }
      throw error
    }
  }
}
