import Catalog
import CloudKitModel
import Foundation
import LocalContainer
import RecordChanges
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
    let report = await ChangeExecutor(container: container, options: .init(policy: .refuse))
      .apply(plan.changes)
    #expect(report.isComplete)
    let again = try await self.plan(catalog)
    #expect(again.isUpToDate)
    #expect(again.unchanged == plan.changes.count)
    #expect(again.notes == [])
  }

  @Test("a computed field that a job wrote stays when an editor changes the record")
  func computedFieldsSurvive() async throws {
    let executor = ChangeExecutor(container: container, options: .init(policy: .refuse))
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

  @Test("pruning leaves an empty catalog")
  func prune() async throws {
    let executor = ChangeExecutor(container: container, options: .init(policy: .refuse))
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
