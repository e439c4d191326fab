import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Catalog

@Suite("Risks of a seed plan")
struct SeedPlanRiskTests {
  /// The plan that keeps the given number of three feeds.
  private func plan(keeping count: Int) async throws -> SeedPlan {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.feeds = Array(catalog.feeds.prefix(count))
    catalog.collections[0].feeds = catalog.feeds.map(\.slug)
    return try await container.plan(catalog, prunes: true)
  }

  @Test("a plan that deletes nothing has none")
  func none() async throws {
    let plan = try await plan(keeping: 3)
    #expect(plan.risks.isEmpty && plan.deletions.isEmpty && plan.deletionSummary == nil)
  }

  @Test("up to half of the records of a type is data-loss, and the share is named")
  func upToHalf() async throws {
    let plan = try await plan(keeping: 2)
    #expect(plan.risks == [.dataLoss])
    #expect(plan.deletionSummary == "deletes 1 of 3 feeds (33 %)")
    #expect(SeedChangelog(plan).text.description.contains("This plan deletes 1 of 3 feeds (33 %)."))
    let half = DeletionShareCase(deleted: 2, present: 4)
    #expect(try await half.plan().risks == [.dataLoss])
  }

  @Test("above half is mass-deletion besides")
  func aboveHalf() async throws {
    let plan = try await plan(keeping: 1)
    #expect(plan.risks == [.dataLoss, .massDeletion])
    #expect(plan.deletionSummary == "deletes 2 of 3 feeds (67 %)")
    #expect(try await DeletionShareCase(deleted: 3, present: 5).plan().risks == [.dataLoss, .massDeletion])
  }

  @Test("finishing a saved plan carries the risks of the plan, not of the rest of it")
  func finishing() async throws {
    let saved = try await DeletionShareCase(deleted: 2, present: 4).plan()
    let file = PlanFile(
      command: "seed", target: saved.target, created: MemoryContainer.morning, changes: saved.changes)
    let container = try await DeletionShareCase(deleted: 2, present: 4).container()
    for deleted in saved.changes {
      #expect(try await SeedPlan(saved: file, in: container).risks == [.dataLoss])
      container.remove(deleted.recordName)
    }
    let done = try await SeedPlan(saved: file, in: container)
    #expect(done.risks == [.dataLoss] && done.deletionSummary == "deletes 2 of 4 feeds (50 %)")
    // A record that went away otherwise does change the share.
    container.remove(SeedFeed.named("f3").derivedName)
    #expect(try await SeedPlan(saved: file, in: container).risks == [.dataLoss, .massDeletion])
  }

  @Test("one reader left behind is a loss; a deleted feed without readers is none", arguments: [0, 1])
  func oneReader(readers: Int64) async throws {
    let container = try await MemoryContainer.holding(.sample)
    var feed = try #require(container[SeedFeed.named("gamma").derivedName])
    feed.fields["subscriberCount"] = .int64(readers)
    container.put(feed)
    var catalog = SeedCatalog.sample
    catalog.feeds.removeLast()
    catalog.collections[0].feeds.removeLast()
    let plan = try await container.plan(catalog, prunes: true)
    #expect(plan.risks == (readers == 0 ? [.dataLoss] : [.dataLoss, .subscriberLoss]))
    #expect(plan.deletionSummary?.contains("leaves 1 reader behind") == (readers == 1))
  }

  @Test("a share below one percent is not called none")
  func small() async throws {
    #expect(
      try await DeletionShareCase(deleted: 1, present: 101).plan().deletionSummary
        == "deletes 1 of 101 feeds (under 1 %)")
  }

  @Test("a saved plan is weighed against what the container holds when it is applied")
  func saved() async throws {
    let container = try await MemoryContainer.holding(.sample)
    let changes = try await plan(keeping: 2).changes.filter { $0.action == .delete }
    let target = container.identity
    #expect(
      try await SeedPlan(
        saved: PlanFile(
          command: "seed", target: target, created: Timestamp(milliseconds: 0), changes: changes),
        in: container
      ).risks == [.dataLoss])
    for name in ["alpha", "beta"] { container.remove(SeedFeed.named(name).derivedName) }
    #expect(
      try await SeedPlan(
        saved: PlanFile(
          command: "seed", target: target, created: Timestamp(milliseconds: 0), changes: changes),
        in: container
      ).deletionSummary
        == "deletes 1 of 1 feed (100 %)")
  }

  @Test("without feeds/ nothing is pruned while the container has feeds")
  func missingFolder() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog(categories: SeedCatalog.sample.categories)
    catalog.hasFeedsFolder = false
    let refusal = await #expect(throws: MissingFeedsFolderError.self) {
      try await container.plan(catalog, prunes: true)
    }
    #expect(refusal?.feeds == 3)
    #expect(try await container.plan(catalog).count(.delete) == 0)
    #expect(try await MemoryContainer().plan(catalog, prunes: true).count(.delete) == 0)
    catalog.hasFeedsFolder = true
    #expect(try await container.plan(catalog, prunes: true).count(.delete) == 4)
  }

  @Test("readers are asked for where a feed is retired, not where it is changed otherwise or new")
  func atStake() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].title = "Other"
    catalog.categories[0].values["name"] = "Fruit"
    catalog.feeds.append(.named("delta"))
    #expect(try await container.plan(catalog).recordsAtStake == [])
    catalog.feeds[1].values["retired"] = true
    catalog.feeds[3].values["retired"] = true
    #expect(try await container.plan(catalog).recordsAtStake == [SeedFeed.named("beta").derivedName])
  }
}

/// A container with the given number of feeds, of which a plan deletes some.
private struct DeletionShareCase {
  let deleted: Int
  let present: Int

  private var feeds: [SeedFeed] { (0..<present).map { SeedFeed.named("f\($0)") } }
  private let categories = SeedCatalog.sample.categories

  /// The container before the plan.
  func container() async throws -> MemoryContainer {
    try await .holding(SeedCatalog(categories: categories, feeds: feeds))
  }

  func plan() async throws -> SeedPlan {
    try await container().plan(
      SeedCatalog(categories: categories, feeds: Array(feeds.dropFirst(deleted))), prunes: true)
  }

  init(deleted: Int, present: Int) {
    self.deleted = deleted
    self.present = present
  }
}
