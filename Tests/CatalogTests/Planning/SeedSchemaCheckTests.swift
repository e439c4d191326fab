import Catalog
import CloudKitModel
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

  @Test("a schema without the fields for retired feeds is enough until a seed retires one")
  func retirement() async throws {
    var schema = try RepositoryFile.shippedSchema()
    for index in schema.recordTypes.indices {
      schema.recordTypes[index].fields.removeAll { ["isRetired", "replacedBy"].contains($0.name) }
    }
    let planner = SeedPlanner(container: MemoryContainer(), schema: schema)
    #expect(try await planner.plan(.sample, at: MemoryContainer.morning).count(.create) == 6)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].isRetired = true
    let error = await #expect(throws: SeedSchemaCheckError.self) {
      try await planner.plan(catalog, at: MemoryContainer.morning)
    }
    #expect(error?.gaps.map(\.field) == ["isRetired", "replacedBy"])
  }
}
