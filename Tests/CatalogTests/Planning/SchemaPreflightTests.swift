import Catalog
import CloudKitModel
import SchemaLanguage
import Testing

@Suite("Schema preflight")
struct SchemaPreflightTests {
  @Test("the shipped schema fits the seeds")
  func shipped() throws {
    #expect(SchemaPreflight.gaps(in: try RepositoryFile.shippedSchema()) == [])
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
    let error = await #expect(throws: SchemaPreflightError.self) {
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
}
