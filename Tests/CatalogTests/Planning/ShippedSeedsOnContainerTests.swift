import Catalog
import CloudKitModel
import Foundation
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@Suite("The shipped seeds on a container with the shipped schema")
struct ShippedSeedsOnContainerTests {
  private let container: LocalContainer

  init() async throws {
    container = try LocalContainer.open(.memory)
    try await container.importSchema(String(contentsOf: RepositoryFile.schema, encoding: .utf8))
  }

  @Test("every record is accepted, and a second plan finds nothing to do")
  func seeding() async throws {
    let catalog = try #require(SeedLoader(directory: RepositoryFile.seeds.path).load().catalog)
    let plan = try await plan(catalog)
    #expect(plan.count(.create) == catalog.categories.count + catalog.feeds.count + catalog.collections.count)
    let report = await ChangeExecutor(container: container, policy: .refuse)
      .apply(plan.changes)
    #expect(report.isComplete)
    let again = try await self.plan(catalog)
    #expect(again.isUpToDate)
    #expect(again.unchanged == plan.changes.count)
    #expect(again.notes == [])
  }

  @Test("a computed field that a job wrote stays when an editor changes the record")
  func computedFieldsSurvive() async throws {
    let executor = ChangeExecutor(container: container, policy: .refuse)
    _ = await executor.apply(try await plan(.sample).changes)
    let name = SeedFeed.named("alpha").derivedName
    let count = RecordChange(
      .update, recordType: "PublicFeed", recordName: name,
      changeTag: try await container.lookupAll([name]).first?.record?.changeTag,
      fields: ["subscriberCount": FieldChange(to: .int64(9))])
    #expect(await executor.apply([count]).isComplete)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].title = "New"
    #expect(await executor.apply(try await plan(catalog).changes).isComplete)
    let record = try #require(try await container.lookupAll([name]).first?.record)
    #expect(record["subscriberCount"] == .int64(9))
    #expect(record["title"] == .string("New"))
  }

  @Test("for a planned schema, what the container does not have yet counts as absent")
  func plannedSchema() async throws {
    let shipped = try RepositoryFile.shippedSchema()
    var older = shipped
    older.recordTypes.removeAll { $0.name == "FeedCollection" }
    for index in older.recordTypes.indices where older.recordTypes[index].name == "FeedCategory" {
      older.recordTypes[index].fields.removeAll { $0.name == "sortOrder" }
      older.recordTypes[index].fields.append(Field("sortOrder", .string))
    }
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(older.canonicalText)
    let category = try #require(SeedCatalog.sample.categories.first)
    let record = RecordChange(
      .create, recordType: "FeedCategory", recordName: category.slug,
      fields: ["name": FieldChange(to: .string("Old")), "sortOrder": FieldChange(to: .string("7"))])
    let executor = ChangeExecutor(container: container, policy: .refuse)
    #expect(await executor.apply([record]).isComplete)
    await #expect(throws: ServerError.self) {
      try await SeedPlanner(container: container).plan(.sample, at: MemoryContainer.morning)
    }
    let planner = SeedPlanner(container: container, schema: older, planned: shipped)
    let plan = try await planner.plan(.sample, at: MemoryContainer.morning)
    #expect(plan.count(.create) == 5 && plan.count(.update) == 1)
    let update = try #require(plan.changes.first { $0.action == .update })
    #expect(update.fields["sortOrder"]?.from == nil && update.fields["name"]?.from == .string("Old"))
    try await container.importSchema(shipped.canonicalText)
    #expect(await executor.apply(plan.changes).isComplete)
    #expect(try await SeedPlanner(container: container).plan(.sample, at: MemoryContainer.morning).isUpToDate)
  }

  @Test("pruning leaves an empty catalog")
  func prune() async throws {
    let executor = ChangeExecutor(container: container, policy: .refuse)
    _ = await executor.apply(try await plan(.sample).changes)
    let planner = SeedPlanner(container: container, prunes: true)
    let removal = try await planner.plan(SeedCatalog(), at: MemoryContainer.evening)
    #expect(removal.count(.delete) == 6)
    #expect(await executor.apply(removal.changes).isComplete)
    #expect(try await plan(SeedCatalog()).notes == [])
  }

  private func plan(_ catalog: SeedCatalog) async throws -> SeedPlan {
    try await SeedPlanner(container: container, schema: RepositoryFile.shippedSchema())
      .plan(catalog, at: MemoryContainer.morning)
  }
}
