import CloudKitModel
import Diagnostics
import FeedState
import Foundation
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import Aggregates

/// The schemas of this repository on the embedded container, against a count made record by record. Foundation to
/// read the schema files.
@Suite("Recounts on the embedded container") struct LocalRecountTests {
  private static func schemaText(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "schema/\(name).ckdb"), encoding: .utf8)
  }

  private func container(_ schema: String) async throws -> (LocalContainer, Schema) {
    let text = try Self.schemaText(schema)
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(text)
    return (container, try Schema(parsing: text))
  }

  private func create(_ records: [Record], in container: LocalContainer) async throws {
    for start in stride(from: 0, to: records.count, by: 200) {
      let batch = records[start...].prefix(200)
      let outcomes = try await container.modify(
        batch.map {
          RecordOperation(
            .create, recordType: $0.recordType, recordName: $0.recordName, fields: $0.fields.mapValues { $0 })
        })
      #expect(outcomes.allSatisfy { $0.error == nil })
    }
  }

  private func recount(
    _ container: LocalContainer, _ schema: Schema, _ strategy: ScanStrategy?
  ) async throws -> RecountOutcome {
    var options = RecountOptions()
    options.strategy = strategy
    let declaration = try #require(AggregateDeclaration.builtIn(for: schema).first)
    #expect(declaration.check(against: schema).isEmpty)
    return try await Recount(
      declaration, schema: schema, container: container, options: options,
      dependencies: Fixtures.environment()
    ).run()
  }

  @Test("simulated subscriptions are counted exactly", arguments: [nil, .sweep, ScanStrategy.byTarget])
  func subscribers(_ strategy: ScanStrategy?) async throws {
    let (container, schema) = try await container("celestra")
    try await create((0..<60).flatMap { [Fixtures.feed($0), Fixtures.metadata($0)] }, in: container)
    let subscriptions = SubscriptionSimulation(
      users: 400, perUser: 6, skew: 1, seed: 3, feeds: (0..<60).map { "feed-\($0)" })
    try await create(Array(subscriptions), in: container)
    let outcome = try await recount(container, schema, strategy)
    #expect(outcome.phase == .done)
    #expect(outcome.result.strategy == strategy ?? .pushdown)
    #expect(outcome.result.sources == 2400)
    let counts = Dictionary(grouping: subscriptions) { $0["feedRecordName"]?.string ?? "" }.mapValues(\.count)
    for type in ["PublicFeed", "FeedMetadata"] {
      for record in try await container.allRecords(Query(type)) {
        let feed = record["feedReference"]?.reference?.recordName ?? record.recordName
        #expect(record["subscriberCount"] == .int64(Int64(counts[feed] ?? 0)))
      }
    }
    let again = try await recount(container, schema, strategy)
    #expect(again.result.requests.modify == 0)
  }

  @Test(
    "orphans of people are deleted only with a grant to the key's role, and a refusal names the grant",
    arguments: [false, true])
  func orphansOfOthers(_ mayWrite: Bool) async throws {
    var text = try Self.schemaText("celestra")
    let shipped =
      "GRANT READ TO CatalogAdmin,\n        GRANT READ, WRITE TO PrivacyOfficer,\n        GRANT READ, WRITE TO \"_creator\""
    #expect(text.contains(shipped))
    if mayWrite {
      text = text.replacing(
        shipped, with: shipped.replacing("GRANT READ TO Cat", with: "GRANT READ, WRITE TO Cat"))
    }
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(text)
    let key = LocalContainer(store: container.store, identity: .serverKey(roles: ["CatalogAdmin"]))
    let person = LocalContainer(store: container.store, identity: CallerIdentity(userRecordName: "_ann"))
    try await create([Fixtures.feed(1)], in: key)
    try await create(
      [Fixtures.subscription("feed-1", user: 1), Fixtures.subscription("gone", user: 1)], in: person)
    var options = RecountOptions()
    options.pruneOrphans = true
    let schema = try Schema(parsing: text)
    let declaration = try #require(AggregateDeclaration.builtIn(for: schema).first)
    let outcome = try await Recount(
      declaration, schema: schema, container: key, options: options, dependencies: Fixtures.environment()
    ).run()
    #expect(outcome.result.orphans == 1)
    #expect(outcome.pruning?.report?.applied == (mayWrite ? 1 : 0))
    #expect(try await person.allRecords(Query("FeedSubscription")).count == (mayWrite ? 1 : 2))
    #expect(outcome.status == (mayWrite ? .done : .denied))
    if !mayWrite {
      #expect(
        outcome.failure?.hint?.contains("GRANT READ, WRITE TO CatalogAdmin on FeedSubscription") == true)
    }
  }

  @Test(
    "wrongly named subscriptions are left out by every strategy", arguments: [ScanStrategy.sweep, .pushdown])
  func invalidNames(_ strategy: ScanStrategy) async throws {
    let (container, schema) = try await container("celestra")
    var genuine = Fixtures.subscription("feed-1", user: 1)
    genuine.fields["bucket"] = nil
    try await create([Fixtures.feed(1), genuine], in: container)
    let fields = ["feedRecordName": FieldValue.string("feed-1")]
    let stuffed = Record(recordType: "FeedSubscription", recordName: "stuffed", fields: fields)
    try await create([stuffed], in: container)
    let outcome = try await recount(container, schema, strategy)
    #expect(outcome.result.invalidNames == 1)
    #expect(outcome.result.sources == 1)
  }

  @Test(
    "the built-in aggregates of every schema of this repository fit it",
    arguments: [
      ("celestra", "subscribers", 3), ("celestra-feed", "subscribers", 1),
      ("live-sessions", "participants", 1),
    ])
  func builtIn(_ name: String, _ aggregate: String, _ targets: Int) throws {
    let schema = try Schema(parsing: try Self.schemaText(name))
    let declarations = AggregateDeclaration.builtIn(for: schema)
    #expect(declarations.map(\.name) == [aggregate])
    #expect(declarations.map(\.targets.count) == [targets])
    #expect(declarations.flatMap { $0.check(against: schema) }.isEmpty)
  }

  @Test("feeds with other field names keep the types beside them")
  func otherNames() throws {
    let schema = try Schema(parsing: try Self.schemaText("celestra"))
    var feeds = FeedRecordMapping.celestra
    feeds.title = "name"
    feeds.subscriberCount = "readers"
    let layout = try #require(FeedRecordMapping.scored(in: schema, feeds: feeds))
    #expect(layout.stateType == "FeedMetadata")
    #expect(layout.title == "name" && layout.subscriberCount == "readers")
    let declaration = try #require(AggregateDeclaration.builtIn(for: schema, feeds: feeds).first)
    #expect(
      declaration.targets.map { "\($0.recordType).\($0.field)" } == [
        "PublicFeed.readers", "FeedCollection.subscriberCount", "FeedMetadata.subscriberCount",
      ])
    #expect(declaration.targets.map(\.isCopy) == [false, false, true])
  }

  @Test("scores of feeds with other field names use what health checks recorded, and their own readers")
  func otherNamesScored() async throws {
    let text = try Self.schemaText("celestra").replacing("subscriberCount ", with: "readers ")
    let schema = try Schema(parsing: text)
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(text)
    var feeds = FeedRecordMapping.celestra
    feeds.subscriberCount = "readers"
    try await create(
      [
        Record(recordType: "PublicFeed", recordName: "feed-1", fields: ["readers": .int64(9)]),
        Record(
          recordType: "FeedMetadata", recordName: "m",
          fields: [
            "totalAttempts": .int64(50), "successfulAttempts": .int64(49),
            "feedReference": .reference(Reference("feed-1")),
          ]),
      ], in: container)
    let layout = try #require(FeedRecordMapping.scored(in: schema, feeds: feeds))
    let score = try #require(
      try await scores(.quality(layout, QualityProfile(.celestra)), schema, container).first)
    #expect(score.observations == 50)
    #expect(try #require(score.parts.first { $0.name == .popularity }).value > 0)
  }

  @Test("a feed that celestra-cloud's fields show as down has the score of one that is down")
  func downInCelestraCloud() async throws {
    let (container, schema) = try await container("celestra-feed")
    try await create(
      [
        Record(
          recordType: "Feed", recordName: "f",
          fields: [
            "totalAttempts": .int64(1000), "successfulAttempts": .int64(997), "failureCount": .int64(3),
            "lastFailureReason": .string("FH0206 x"),
            "lastAttempted": .timestamp(Fixtures.environment().now()),
          ])
      ], in: container)
    let subject = Recount.Subject.quality(
      try #require(FeedRecordMapping.scored(in: schema)), QualityProfile(.signals))
    #expect(try await scores(subject, schema, container).map(\.score) == [49])
  }

  private func scores(
    _ subject: Recount.Subject, _ schema: Schema, _ container: LocalContainer
  ) async throws -> [FeedQualityScore] {
    var options = RecountOptions()
    options.explains = true
    let recount = Recount(
      subject, schema: schema, container: container, options: options, now: Fixtures.environment().now)
    return try await recount.run().explanations?.map(\.score) ?? []
  }

  @Test("both layouts of quality scores work on their schema", arguments: ["celestra", "celestra-feed"])
  func quality(_ name: String) async throws {
    let (container, schema) = try await container(name)
    let layout = try #require(FeedRecordMapping.scored(in: schema))
    let attempts: [String: FieldValue] = ["totalAttempts": .int64(50), "successfulAttempts": .int64(49)]
    try await create([Record(recordType: layout.recordType, recordName: "feed-1")], in: container)
    if let type = layout.stateType {
      let reference = ["feedReference": FieldValue.reference(Reference("feed-1"))]
      let fields = attempts.merging(reference) { a, _ in a }
      try await create([Record(recordType: type, recordName: "m", fields: fields)], in: container)
    } else {
      let change = RecordOperation(
        .forceUpdate, recordType: layout.recordType, recordName: "feed-1", fields: attempts.mapValues { $0 })
      _ = try await container.modify([change])
    }
    let outcome = try await Recount(
      .quality(layout, QualityProfile(.celestra)), schema: schema, container: container,
      dependencies: Fixtures.environment()
    ).run()
    #expect(outcome.phase == .done)
    let score = try await container.allRecords(Query(layout.recordType)).first?["qualityScore"]
    // (50 * (0.4 * 0.98 + 0.2 * 0.5) * 100 + 2 * 50) / 52
    #expect(score == (name == "celestra" ? .double(49.2) : .int64(49)))
  }
}
