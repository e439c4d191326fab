import Catalog
import CloudKitModel
import Diagnostics
import RecordChanges
import SchemaLanguage
import Testing

@Suite("Schema preflight")
struct SeedSchemaCheckTests {
  @Test("the shipped schema fits the seeds")
  func shipped() throws {
    #expect(SeedSchemaCheck.gaps(in: try RepositoryFile.shippedSchema()) == [])
  }

  @Test("each gap is named, and nothing is planned")
  func gaps() async throws {
    var schema = try RepositoryFile.shippedSchema()
    schema.recordTypes.removeAll { $0.name == "FeedCollection" }
    for index in schema.recordTypes.indices {
      switch schema.recordTypes[index].name {
      case "PublicFeed":
        schema.recordTypes[index].fields.removeAll { ["subtitle", "addedAt"].contains($0.name) }
        schema.recordTypes[index].fields.removeAll { $0.name == "category" }
        schema.recordTypes[index].fields.append(Field("category", .string))
      case "FeedCategory": schema.recordTypes[index].fields.removeAll { $0.name == "___recordID" }
      default: break
      }
    }
    let planner = SeedPlanner(container: MemoryContainer(), schema: schema)
    let error = await #expect(throws: SeedSchemaCheckError.self) {
      try await planner.plan(.sample, at: MemoryContainer.morning)
    }
    #expect(
      error?.gaps.map(\.description) == [
        #"FeedCategory has no "___recordID" QUERYABLE"#,
        "the field PublicFeed.addedAt (TIMESTAMP) is missing",
        "the field PublicFeed.category is STRING, the seeds need REFERENCE",
        "the field PublicFeed.subtitle (STRING) is missing",
        "the record type FeedCollection is missing",
      ])
  }

  @Test("a planned schema must fit the seeds, and the container must list what it has")
  func planned() async throws {
    let shipped = try RepositoryFile.shippedSchema()
    var weak = shipped
    for index in weak.recordTypes.indices where weak.recordTypes[index].name == "FeedCategory" {
      weak.recordTypes[index].fields.removeAll { $0.name == "___recordID" }
    }
    func failure(_ schema: Schema?, _ planned: Schema) async -> String? {
      let planner = SeedPlanner(container: MemoryContainer(), schema: schema, planned: planned)
      return await #expect(throws: SeedSchemaCheckError.self) {
        try await planner.plan(.sample, at: MemoryContainer.morning)
      }?.description
    }
    let gap = #"FeedCategory has no "___recordID" QUERYABLE"#
    #expect(await failure(shipped, weak) == "the planned schema does not fit the seeds: \(gap)")
    #expect(await failure(weak, shipped) == "the container's schema does not fit the seeds: \(gap)")
    let empty = Schema(roles: [], recordTypes: [])
    let planner = SeedPlanner(container: MemoryContainer(), schema: empty, planned: shipped)
    let plan = try await planner.plan(.sample, at: MemoryContainer.morning)
    #expect(plan.schemaDigest == shipped.digest && plan.count(.create) == 6)
    #expect(try await MemoryContainer().plan(.sample).schemaDigest == nil)
  }

  @Test("what a saved plan writes must be in the schema when it is applied, and nothing else")
  func savedPlan() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].values["subtitle"] = "new"
    let changes = try await container.plan(catalog).changes
    func check(_ digest: String?, _ edit: (inout RecordType) -> Void) throws {
      var schema = try RepositoryFile.shippedSchema()
      schema.recordTypes.removeAll { $0.name == "FeedCollection" }
      for index in schema.recordTypes.indices where schema.recordTypes[index].name == "PublicFeed" {
        edit(&schema.recordTypes[index])
      }
      let target = ContainerIdentity(name: "memory:", environment: .development)
      let file = PlanFile(
        command: "seed", target: target, created: MemoryContainer.morning, changes: changes,
        schemaDigest: digest)
      try SeedSchemaCheck.check(schema, for: file)
    }
    try check(nil) { $0.fields.removeAll { $0.name == "title" } }
    let missing = #expect(throws: SeedSchemaCheckError.self) {
      try check("abc") { $0.fields.removeAll { $0.name == "subtitle" } }
    }
    #expect(
      missing?.description
        == "the container's schema does not fit the plan, which was made for a schema that comes "
        + "first: the field PublicFeed.subtitle (STRING) is missing")
    let wrong = #expect(throws: SeedSchemaCheckError.self) {
      try check(nil) { type in
        type.fields.removeAll { $0.name == "subtitle" }
        type.fields.append(Field("subtitle", .int64))
      }
    }
    #expect(
      wrong?.description == "the container's schema does not fit the plan: "
        + "the field PublicFeed.subtitle is INT64, the seeds need STRING")
  }

  @Test("a schema without the fields for retired feeds is enough until a seed retires one")
  func retirement() async throws {
    var schema = try RepositoryFile.shippedSchema()
    for index in schema.recordTypes.indices {
      schema.recordTypes[index].fields.removeAll { ["isRetired", "replacedBy"].contains($0.name) }
    }
    let planner = SeedPlanner(container: MemoryContainer(), schema: schema)
    #expect(try await planner.plan(.sample, at: MemoryContainer.morning).count(.create) == 6)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].values["retired"] = true
    let error = await #expect(throws: SeedSchemaCheckError.self) {
      try await planner.plan(catalog, at: MemoryContainer.morning)
    }
    #expect(error?.gaps.map(\.field) == ["isRetired", "replacedBy"])
  }
}
