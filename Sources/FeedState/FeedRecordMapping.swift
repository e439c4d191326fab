package import Catalog
package import CloudKitModel
internal import Diagnostics
internal import FeedFetching

/// The record type and field names of a container's feeds (Documentation/reference/feeds.md#record-types).
package struct FeedRecordMapping: Sendable, Hashable {
  package enum CategoryField: Sendable, Hashable {
    /// A reference to a record with a `slug`.
    case reference
    /// The category's own word.
    case text
  }

  package var recordType: String
  package var feedURL: String
  package var title: String
  /// The address of the feed's site; `nil` without such a field.
  package var siteURL: String?
  /// The slug of the feed's seed; `nil` without such a field.
  package var slug: String?
  package var category: String
  package var categoryField: CategoryField
  package var subscriberCount: String
  /// The type of the record beside each feed that keeps the state of its checks; `nil` when the feed's own record does.
  package var stateType: String?
  /// The field for each fact of ``FeedMetadataFields`` that is kept; `nil` when all are, under their own names.
  package var stateFields: [String: String]?
  /// Those of these fields that hold a DOUBLE where the fact is a whole number.
  package var doubleFields: Set<String> = []
  /// The field for retired feeds, which are neither checked nor shown; `nil` without such a field.
  package var isRetired: String?
  /// The field that is 0 for retired feeds; `nil` without such a field.
  package var isActive: String?
  /// The seconds that a feed asks for between two checks, at most a day of which count; `nil` without such a field.
  package var minimumInterval: String?
  /// The moment of the last successful check, which moves once a day; `nil` when it is not kept.
  package var lastVerified: String?
  /// The usual hours between items; `nil` when they are not kept.
  package var updateFrequency: String?
  /// The newer version of the profile's schema; `nil` when there is one version.
  package var newerVersion: CloudFeedField.Version?
  /// The limits for what the records leave to their reader: the state that they do not keep, and a permanent redirect.
  package var thresholds = HealthThresholds()

  /// The fields of FeedMetadata that the container's schema lacks, which are then neither read nor written.
  package private(set) var absentFields: Set<String> = []

  /// Whether the state says which document the stored articles cover.
  package var keepsArticleCoverage: Bool { stateType != nil && !absentFields.contains("articlesValidator") }

  /// Whether the container's schema lacks ``fieldsOfAlerts``.
  package var hasOlderSchema: Bool { !absentFields.isDisjoint(with: Self.fieldsOfAlerts) }

  /// The fields of FeedMetadata for alerts. `failingSince` shows whether a container has them.
  package static let fieldsOfAlerts: Set<String> = [
    "dailyRefusals", "failingSince", "healthReasons", "lastFalls", "lastHTTPStatus", "suggestedURL",
  ]

  package static let celestra = FeedRecordMapping(
    recordType: CatalogRecordType.publicFeed, feedURL: "feedURL", title: "title", siteURL: "siteURL",
    slug: "slug", category: "category", categoryField: .reference, subscriberCount: "subscriberCount",
    stateType: CatalogRecordType.feedMetadata,
    stateFields: nil, isRetired: "isRetired", lastVerified: "lastVerified", updateFrequency: "updateFrequency"
  )

  /// Feed of celestra-cloud, which keeps the state of its checks in its own fields: the names of December 2025
  /// (schema/celestra-feed.ckdb), and those of May 2026 where the container has them. ``CloudFeedField`` has both.
  package static let celestraCloud: FeedRecordMapping = {
    var mapping = cloud(.december2025)
    mapping.newerVersion = .may2026
    return mapping
  }()

  private static func cloud(_ version: CloudFeedField.Version) -> FeedRecordMapping {
    let fields = CloudFeedField.fields(in: version)
    let facts = fields.compactMap { field in
      if case .fact(let fact) = field.meaning { (fact, field.name) } else { nil }
    }
    return FeedRecordMapping(
      recordType: CatalogRecordType.cloudFeed, feedURL: CloudFeedField.name(of: .address),
      title: CloudFeedField.name(of: .title), siteURL: CloudFeedField.name(of: .site),
      category: CloudFeedField.name(of: .category), categoryField: .text,
      subscriberCount: CloudFeedField.name(of: .readers), stateType: nil,
      stateFields: Dictionary(uniqueKeysWithValues: facts),
      doubleFields: Set(fields.filter { $0.type == .scalar(.double) }.map(\.name)),
      // Also where only this field was added to the older schema, because seeds then write it.
      isActive: CloudFeedField.name(of: .activity),
      minimumInterval: CloudFeedField.name(of: .minimumInterval),
      lastVerified: fields.first { $0.meaning == .lastVerified }?.name)
  }

  /// The ready profiles, by the name that the project file uses. Each command needs the names, and few a profile.
  package static let profiles: [String: @Sendable () -> FeedRecordMapping] = [
    "celestra": { .celestra }, "celestra-cloud": { .celestraCloud },
  ]

  /// The fields whose names settings may replace, and whether each holds a text.
  private var settableFields: [(setting: String, field: String, isText: Bool)] {
    [
      ("feedURL", feedURL, true), ("title", title, true), ("category", category, false),
      ("subscriberCount", subscriberCount, false),
    ]
  }

  private var profile: Self { stateType == nil ? .celestraCloud : .celestra }

  /// Throws ``CommandFailure`` for a name of settings that is not a field of the feeds' type: without it, feeds would seem
  /// to have no address. One request for each such name.
  package func checkNames(in container: any Container) async throws {
    for (own, usual) in zip(settableFields, profile.settableFields) where own.field != usual.field {
      var problem =
        "records.\(own.setting) names the field '\(own.field)', which \(recordType) does not have; capitals count"
      do {
        if try await container.hasField(own.field, of: recordType, sample: .string("")) { continue }
        guard try await container.hasRecordType(recordType) else { return }
      } catch let refusal as ServerError where refusal.code == .badRequest {
        guard own.isText else { continue }
        problem =
          "records.\(own.setting) names the field '\(own.field)', whose type in \(recordType) is not STRING"
      }
      throw CommandFailure(problem, code: "unknown-field", hint: "'schema export' shows the fields.")
    }
  }

  /// The mapping with the field names that the container's schema has, which costs one request for each group of
  /// fields that a schema may lack, and for each name of settings. Throws the errors of a query, but not those for a
  /// missing type, and ``CommandFailure`` for such a name that the schema lacks.
  ///
  /// - Parameter storesArticles: for a run that stores articles. With a profile whose validators belong to another program as
  ///   well, such a run uses these validators: who wrote them has stored the articles.
  package func matching(
    _ container: any Container, storesArticles: Bool = false
  ) async throws -> FeedRecordMapping {
    var mapping = self
    try await checkNames(in: container)
    if recordType != profile.recordType {
      mapping.lastVerified = try await kept(lastVerified, Self.moment, in: container)
      mapping.updateFrequency = try await kept(updateFrequency, .int64(0), in: container)
    }
    if let stateType {
      mapping.absentFields = try await Self.absentFields(of: stateType, in: container)
    } else if storesArticles {
      mapping.stateFields?.merge(Self.sharedValidators) { $1 }
    }
    guard let newerVersion, let field = newerVersion.distinctiveField else { return mapping }
    mapping.newerVersion = nil
    guard try await container.hasField(field, of: recordType, sample: Self.moment) else { return mapping }
    let newer = Self.cloud(newerVersion)
    mapping.stateFields = newer.stateFields?.merging(storesArticles ? Self.sharedValidators : [:]) { $1 }
    mapping.lastVerified = newer.lastVerified
    return mapping
  }

  /// The field, if an app's own type of feeds has it with the type of the sample.
  private func kept(
    _ field: String?, _ sample: FieldValue, in container: any Container
  ) async throws -> String? {
    guard let field else { return nil }
    do {
      return try await container.hasField(field, of: recordType, sample: sample) ? field : nil
    } catch let refusal as ServerError where refusal.code == .badRequest { return nil }
  }

  private static let moment = FieldValue.timestamp(Timestamp(milliseconds: 0))

  /// The fields that a schema may lack, each with those that came with it. One that has a field has the later ones of its
  /// group; one that lacks a group may have any other.
  private static let groups: [[(fields: [String], sample: FieldValue)]] = [
    [(["failingSince"] + fieldsOfAlerts, moment)],
    [
      (["publisherSchedule"], .string("")), (["validatorsURL"], .string("")), (["validatorsRefused"], moment),
    ],
    [(["itemIDRule"], .int64(0)), (["articlesValidator", "undatedItems"], .string(""))],
  ]

  private static func absentFields(
    of stateType: String, in container: any Container
  ) async throws -> Set<String> {
    var absent: Set<String> = []
    for group in groups {
      for (fields, sample) in group {
        if try await container.hasField(fields[0], of: stateType, sample: sample) { break }
        absent.formUnion(fields)
      }
    }
    return absent
  }

  /// The validators that celestra-cloud uses as well.
  private static let sharedValidators = Dictionary(
    uniqueKeysWithValues: CloudFeedField.fields(in: .may2026).compactMap { field in
      if case .validator(let fact) = field.meaning { (fact, field.name) } else { nil }
    })

  /// The fields of a feed that a check reads, its state aside.
  package var feedFields: [String] {
    [feedURL, title, siteURL, slug, isRetired, isActive, minimumInterval, lastVerified, updateFrequency]
      .compactMap(\.self)
      + (stateType == nil ? stateFieldNames : [])
  }

  /// The fields that ``isRetired(_:)`` needs.
  package var fieldsOfRetirement: [String] { [isRetired, isActive].compactMap(\.self) }

  package func isRetired(_ feed: Record) -> Bool {
    isRetired.flatMap { feed[$0]?.flag } ?? false || isActive.flatMap { feed[$0]?.flag } == false
  }

  /// The time that the feed asks for between two checks, bounded by the longest wait for a feed.
  func asked(by feed: Record, _ policy: FetchPolicy) -> Duration {
    guard let seconds = minimumInterval.flatMap({ feed[$0]?.number }), seconds > 0 else { return .zero }
    return seconds < policy.maxInterval.inSeconds ? .seconds(seconds) : policy.maxInterval
  }

  package func stored(_ value: FieldValue?, in field: String) -> FieldValue? {
    guard doubleFields.contains(field), let number = value?.int64 else { return value }
    return .double(Double(number))
  }

  package var stateFieldNames: [String] { rows.map(\.field) }

  package var rows: [(row: FeedMetadataFields.Row, field: String)] {
    FeedMetadataFields.rows.compactMap { row in
      guard let stateFields else { return absentFields.contains(row.name) ? nil : (row, row.name) }
      return stateFields[row.name].map { (row, $0) }
    }
  }
}
