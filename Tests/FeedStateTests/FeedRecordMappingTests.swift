import Catalog
import CloudKitModel
import ContainerFaults
import FeedFetching
import Testing

@testable import FeedState

@Suite struct FeedRecordMappingTests {
  private static let alerts: Set = [
    "failingSince", "dailyRefusals", "healthReasons", "lastFalls", "lastHTTPStatus", "suggestedURL",
  ]
  private static let articles: Set = ["itemIDRule", "articlesValidator", "undatedItems"]
  private static let validators: Set = ["publisherSchedule", "validatorsRefused", "validatorsURL"]

  @Test(
    "each group of fields is asked for, and what the schema lacks is neither read nor written",
    arguments: [
      (has: ["failingSince", "publisherSchedule", "itemIDRule", "articlesValidator"], lacks: []),
      (has: ["failingSince", "validatorsURL", "itemIDRule"], lacks: ["publisherSchedule"]),
      (has: ["failingSince", "publisherSchedule", "articlesValidator"], lacks: ["itemIDRule"]),
      (has: ["failingSince", "itemIDRule"], lacks: validators),
      (
        has: ["failingSince", "validatorsRefused", "itemIDRule"],
        lacks: ["publisherSchedule", "validatorsURL"]
      ),
      (has: ["failingSince", "publisherSchedule"], lacks: articles),
      (has: ["publisherSchedule", "itemIDRule"], lacks: alerts),
      (has: ["publisherSchedule", "articlesValidator"], lacks: alerts.union(["itemIDRule"])),
      (has: [], lacks: alerts.union(articles).union(validators)),
    ] as [(has: [String], lacks: Set<String>)])
  func celestra(_ schema: (has: [String], lacks: Set<String>)) async throws {
    let container = FieldContainer(Set(schema.has))
    let mapping = try await FeedRecordMapping.celestra.matching(container)
    #expect(
      await container.probed == ["failingSince", "publisherSchedule"]
        + (schema.has.contains("publisherSchedule") ? [] : ["validatorsURL"])
        + (schema.lacks.contains("validatorsURL") ? ["validatorsRefused"] : []) + ["itemIDRule"]
        + (schema.has.contains("itemIDRule") ? [] : ["articlesValidator"]))
    #expect(mapping.stateFieldNames == FeedMetadataFields.names.filter { !schema.lacks.contains($0) })
    #expect(mapping.rows.allSatisfy { $0.row.name == $0.field })
    #expect(mapping.hasOlderSchema == schema.lacks.isSuperset(of: Self.alerts))
    #expect(mapping.keepsArticleCoverage == !schema.lacks.contains("articlesValidator"))
  }

  @Test(
    "celestra-cloud has the names of its older or its newer schema, and its validators only with articles")
  func celestraCloud() async throws {
    let counts: Set = ["failureCount", "lastFailureReason", "totalAttempts", "successfulAttempts"]
    let validators: Set = ["etag", "lastModified"]
    for storesArticles in [false, true] {
      let shared = storesArticles ? validators : []
      let older = try await FeedRecordMapping.celestraCloud.matching(
        FieldContainer([]), storesArticles: storesArticles)
      #expect(Set(older.stateFieldNames) == counts.union(["lastAttempted", "updateFrequency"]).union(shared))
      #expect(older.lastVerified == nil && older.newerVersion == nil && !older.hasOlderSchema)

      let container = FieldContainer(["attemptedTimestamp"])
      let newer = try await FeedRecordMapping.celestraCloud.matching(
        container, storesArticles: storesArticles)
      #expect(Set(newer.stateFieldNames) == counts.union(["attemptedTimestamp"]).union(shared))
      #expect(newer.lastVerified == "verifiedTimestamp" && newer.newerVersion == nil)
      #expect(await container.probed == ["attemptedTimestamp"])
    }
  }

  @Test("a check reads the fields of the feed, and of its state where the feed keeps it")
  func feedFields() {
    #expect(
      FeedRecordMapping.celestra.feedFields
        == ["feedURL", "title", "siteURL", "slug", "isRetired", "lastVerified", "updateFrequency"])
    let cloud = FeedRecordMapping.celestraCloud.feedFields
    #expect(cloud.prefix(3) == ["feedURL", "title", "siteURL"])
    #expect(cloud.contains("minUpdateInterval") && cloud.contains("lastAttempted"))
  }

  @Test("a feed is retired when its field is not 0")
  func retired() {
    func isRetired(_ mapping: FeedRecordMapping, _ value: FieldValue?) -> Bool {
      var record = Record(recordType: mapping.recordType, recordName: "f", fields: [:])
      record.fields["isRetired"] = value
      return mapping.isRetired(record)
    }
    for (value, expected) in [(nil, false), (.int64(0), false), (.int64(1), true), (.string("1"), false)]
      as [(FieldValue?, Bool)]
    {
      #expect(isRetired(.celestra, value) == expected)
      #expect(!isRetired(.celestraCloud, value))
    }
  }

  @Test("the states of feeds come from the records beside them, in the order of the feeds")
  func states() async throws {
    let feeds = ["1", "2", "3"].map { Record(recordType: "PublicFeed", recordName: $0, fields: [:]) }
    let container = FieldContainer([])
    let attempts: [String: Int64] = [
      CatalogRecordNames.metadata(feed: "1"): 11, CatalogRecordNames.metadata(feed: "3"): 33,
    ]
    await container.answer { name in
      guard let count = attempts[name] else { return .failed(recordName: name, ServerError(.notFound, "")) }
      return .record(
        Record(recordType: "FeedMetadata", recordName: name, fields: ["totalAttempts": .int64(count)]))
    }
    let states = try await container.states(of: feeds, .celestra)
    #expect(states.map(\.feedRecordName) == ["1", "2", "3"] && states.map(\.totalAttempts) == [11, 0, 33])
    #expect(try await container.states(of: [], .celestra).isEmpty)
    #expect(await container.lookups == 1)

    await container.answer { .failed(recordName: $0, ServerError(.badRequest, "")) }
    await #expect(throws: ServerError.self) { try await container.states(of: feeds, .celestra) }
  }
}

/// A container that knows which fields its schema has, and answers lookups as the test says.
private actor FieldContainer: ContainerDouble {
  nonisolated let identity = ContainerIdentity(name: "memory:", environment: .development)
  private let fields: Set<String>
  private var outcome: @Sendable (String) -> RecordOutcome = { .deleted(recordName: $0) }
  /// The fields that queries asked for.
  private(set) var probed: [String] = []
  private(set) var lookups = 0

  init(_ fields: Set<String>) { self.fields = fields }

  func answer(_ outcome: @escaping @Sendable (String) -> RecordOutcome) { self.outcome = outcome }

  func query(_ request: QueryRequest) async throws -> QueryPage {
    for filter in request.query.filters {
      probed.append(filter.field.storedName)
      guard fields.contains(filter.field.storedName) else {
        throw ServerError(.badRequest, "Did not find field: '\(filter.field.storedName)'")
      }
    }
    return QueryPage(records: [])
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    lookups += 1
    return request.recordNames.map(outcome)
  }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] { [] }
}
