import Catalog
import CloudKitModel
import Diagnostics
import Foundation
import RecordChanges
import SchemaLanguage
import Testing

/// Seeds for a database that celestra-cloud fills.
@Suite struct CloudSeedPlannerTests {
  private static let name = "8F1E2D3C-0000-4000-8000-000000000001"

  /// What that program writes when it adds a feed or updates one.
  private static func record(
    _ name: String = name, url: String = "https://alpha.example/feed", _ fields: [String: FieldValue] = [:]
  ) -> Record {
    let own: [String: FieldValue] = [
      "feedURL": .string(url), "title": .string("Alpha, as its document says"),
      "description": .string("From the document"), "etag": .string("\"1\""), "isFeatured": .int64(0),
      "isVerified": .int64(0), "qualityScore": .int64(50), "subscriberCount": .int64(0),
      "totalAttempts": .int64(7), "successfulAttempts": .int64(7), "failureCount": .int64(0),
      "isActive": .int64(1), "minUpdateInterval": .double(3600),
    ]
    return Record(recordType: "Feed", recordName: name, fields: own.merging(fields) { $1 })
  }

  private static var catalog: SeedCatalog {
    SeedCatalog(
      categories: [SeedCategory(slug: "technology", name: "Technology")], feeds: [.named("alpha")],
      collections: [])
  }

  private func plan(
    _ container: MemoryContainer, of catalog: SeedCatalog = catalog, schema: Schema? = nil,
    acceptsLoss: Bool = false
  ) async throws -> SeedPlan {
    let planner = SeedPlanner(container: container, schema: schema, acceptsLoss: acceptsLoss)
    return try await planner.cloudPlan(catalog, without: try await planner.unstoredCloudFields())
  }

  private func apply(_ plan: SeedPlan, to container: MemoryContainer) async -> ChangeReport {
    await ChangeExecutor(container: container, policy: .refuse).apply(plan.changes)
  }

  @Test("a record with a random name is found by its address, and only editorial fields are written")
  func found() async throws {
    let container = MemoryContainer([Self.record(url: "https://Alpha.example:443/feed")])
    var catalog = Self.catalog
    catalog.feeds[0].tags = ["swift"]
    catalog.feeds[0].values["isFeatured"] = true
    let plan = try await plan(container, of: catalog)
    let change = try #require(plan.changes.first)
    #expect(plan.changes.count == 1 && change.action == .update && change.recordName == Self.name)
    #expect(
      change.fields.mapValues(\.to) == [
        "category": .string("Technology"), "language": .string("en"), "tags": .strings(["swift"]),
        "isFeatured": .int64(1), "siteURL": .string("https://alpha.example/"),
      ])
    // A text that the seed leaves out stays.
    container.put(Self.record(Self.name, ["imageURL": .string("https://alpha.example/own.png")]))
    #expect(try await self.plan(container).changes.first?.fields["imageURL"] == nil)
  }

  @Test("a new record gets what that program writes, under a name that a second run finds again")
  func created() async throws {
    let container = MemoryContainer()
    var catalog = Self.catalog
    catalog.feeds[0].values["subtitle"] = "From the seed"
    let plan = try await plan(container, of: catalog)
    let change = try #require(plan.changes.first)
    #expect(change.action == .create && change.recordName == catalog.feeds[0].derivedName)
    let counts = ["subscriberCount", "totalAttempts", "successfulAttempts", "failureCount"]
    var expected: [String: FieldValue?] = [
      "feedURL": .string("https://alpha.example/feed"), "title": .string("ALPHA"),
      "description": .string("From the seed"), "category": .string("Technology"), "language": .string("en"),
      "siteURL": .string("https://alpha.example/"), "isFeatured": .int64(0), "isVerified": .int64(0),
      "isActive": .int64(1), "qualityScore": .int64(50),
    ]
    for count in counts { expected[count] = .some(.int64(0)) }
    #expect(change.fields.mapValues(\.to) == expected)
    // The reply was lost, and the index does not show the record yet.
    _ = await apply(plan, to: container)
    container.hideFromQueries([change.recordName])
    #expect(try await self.plan(container, of: catalog).isUpToDate)
    // A run at the same time made the same plan.
    #expect(await apply(plan, to: container).alreadyApplied == 1 && container.count == 1)
  }

  @Test("that program's next update changes nothing in the plan, and loses nothing")
  func between() async throws {
    let container = MemoryContainer([Self.record()])
    let plan = try await plan(container)
    container.put(Self.record(Self.name, ["etag": .string("\"2\""), "totalAttempts": .int64(8)]))
    // The change tag has moved; the fields of the plan have not.
    #expect(await apply(plan, to: container).isComplete)
    let stored = try #require(container[Self.name])
    #expect(stored["etag"] == .string("\"2\"") && stored["totalAttempts"] == .int64(8))
    #expect(stored["category"] == .string("Technology"))
    var next = stored
    for (field, value) in Self.record().fields { next.fields[field] = value }
    container.put(next)
    #expect(try await self.plan(container).isUpToDate)
  }

  @Test("two records with one address are a conflict, which a record name in the seed settles")
  func duplicates() async throws {
    let container = MemoryContainer([Self.record("A"), Self.record("B")])
    let plan = try await plan(container)
    #expect(plan.changes.isEmpty && plan.notes.isEmpty)
    let conflict = try #require(plan.conflicts.first)
    #expect(conflict.reason.contains("A, B") && conflict.help?.contains("\"recordName\": \"A\"") == true)
    var catalog = Self.catalog
    catalog.feeds[0].recordName = "A"
    let settled = try await self.plan(container, of: catalog)
    #expect(settled.changes.map(\.recordName) == ["A"] && settled.conflicts.isEmpty)
    let label = "Alpha, as its document says"
    #expect(settled.notes == [.unmentioned(recordType: "Feed", recordName: "B", label: label)])
    container.put(Self.record("A", url: "https://alpha.example/other"))
    #expect(try await self.plan(container, of: catalog).conflicts.first?.reason.contains("record B") == true)
    container.remove("B")
    // With two seeds for one record neither gets it.
    catalog.feeds.append(.named("beta"))
    catalog.feeds[1].recordName = "A"
    #expect(try await self.plan(container, of: catalog).conflicts.count == 2)
  }

  @Test("a record that the seed names moves with its readers, and that is a risk")
  func moved() async throws {
    let subscription = Record(
      recordType: "FeedSubscription", recordName: "s", fields: ["feedRecordName": .string(Self.name)])
    let container = MemoryContainer([Self.record(url: "https://old.example/feed"), subscription])
    var catalog = Self.catalog
    catalog.feeds[0].recordName = Self.name
    let plan = try await plan(container, of: catalog)
    #expect(plan.changes.first?.fields["feedURL"]?.to == .string("https://alpha.example/feed"))
    #expect(plan.risks == [.readersMove])
    container.remove("s")
    #expect(try await self.plan(container, of: catalog).risks.isEmpty)
  }

  @Test("a feed that looks like one with readers and no seed is not made anew unless that is accepted")
  func renamed() async throws {
    let subscription = Record(
      recordType: "FeedSubscription", recordName: "s", fields: ["feedRecordName": .string(Self.name)])
    let old = Self.record(url: "https://alpha.example/old", ["title": .string("alpha")])
    let container = MemoryContainer([old, subscription])
    let plan = try await plan(container)
    #expect(plan.changes.isEmpty && plan.conflicts.first?.help?.contains(Self.name) == true)
    let accepted = try await self.plan(container, acceptsLoss: true)
    #expect(accepted.changes.first?.action == .create && accepted.risks == [.subscriberLoss])
  }

  @Test("a retired feed is stopped, a new one is not made, and no seed starts a feed again")
  func retired() async throws {
    let container = MemoryContainer()
    var catalog = Self.catalog
    catalog.feeds[0].values["retired"] = true
    #expect(try await plan(container, of: catalog).changes.isEmpty)
    container.put(Self.record())
    #expect(try await plan(container, of: catalog).changes.first?.fields["isActive"]?.to == .int64(0))
    container.put(Self.record(Self.name, ["isActive": .int64(0)]))
    #expect(try await plan(container).changes.first?.fields["isActive"] == nil)
  }

  @Test("the schema of December 2025 gets no field that it lacks, and one without titles is refused")
  func olderSchema() async throws {
    let schema = try Schema(
      parsing: String(
        contentsOf: RepositoryFile.root.appending(path: "schema/celestra-feed.ckdb"), encoding: .utf8),
      name: "celestra-feed.ckdb")
    let change = try #require(try await plan(MemoryContainer(), schema: schema).changes.first)
    #expect(change.fields["isActive"] == nil && change.fields["language"] == nil)
    #expect(change.fields["title"] != nil)
    try SeedPlanner(container: MemoryContainer(), schema: schema).checkCloudSchema()
    var untitled = schema
    let index = try #require(schema.recordTypes.firstIndex { $0.name == "Feed" })
    untitled.recordTypes[index].fields.removeAll { $0.name == "title" }
    #expect(throws: SeedSchemaCheckError.self) {
      try SeedPlanner(container: MemoryContainer(), schema: untitled).checkCloudSchema()
    }
  }

  @Test("records that no seed mentions stay, and a saved plan does not add a feed that was added meanwhile")
  func saved() async throws {
    let container = MemoryContainer([Self.record("B", url: "https://beta.example/feed")])
    let plan = try await plan(container)
    #expect(
      plan.notes == [
        .unmentioned(recordType: "Feed", recordName: "B", label: "Alpha, as its document says")
      ])
    let file = PlanFile(
      command: "seed", target: plan.target, created: MemoryContainer.evening, changes: plan.changes)
    func drift() async throws -> [String] {
      try await file.compared(
        with: container, references: CatalogReferences.betweenSeeds, unique: CatalogUniqueFields.all
      ).drift.map(\.reason)
    }
    #expect(try await drift().isEmpty)
    container.put(Self.record())
    let added = try await drift()
    #expect(added.count == 1 && added[0].contains("'\(Self.name)'"))
  }
}
