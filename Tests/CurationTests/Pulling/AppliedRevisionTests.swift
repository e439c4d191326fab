import Catalog
import CloudKitModel
import Diagnostics
import LocalContainer
import Platform
import RecordChanges
import Testing

@testable import Curation

@Suite("The revision that was applied last") struct AppliedRevisionTests {
  private static let id = String(repeating: "0a", count: 20)
  private static let longID = String(repeating: "f9", count: 32)

  @Test("it is one or two object ids", arguments: [id, longID, "\(id) \(id)", "\(longID) \(longID)"])
  func read(_ text: String) {
    #expect(AppliedRevision(text)?.description == text)
  }

  @Test(
    "any other text, which somebody else may have written, is not a revision",
    arguments: [
      "", "HEAD", "--help", String(id.dropLast()), "\(id)0", id.uppercased(), "\(id)  \(id)", " \(id)",
      "\(id) ",
      "\(id) HEAD", "\(id) \(id) \(id)", "\(id)\n\(id)", "\(id)^", String(repeating: "٠", count: 40),
    ])
  func refused(_ text: String) {
    #expect(AppliedRevision(text) == nil)
  }

  /// Edits one thing, or takes the advice of a conflict.
  private func edit(
    _ catalog: inout SeedCatalog, _ step: Int, _ conflicts: [PlanConflict], _ random: inout SeededGenerator
  ) {
    for conflict in conflicts {
      guard let name = conflict.help?.firstMatch(of: /"recordName": "(.*?)"/)?.1 else { continue }
      if let index = catalog.categories.firstIndex(where: { $0.slug == conflict.slug }) {
        catalog.categories[index].values["recordName"] = .string(String(name))
      } else if let index = catalog.collections.firstIndex(where: { $0.slug == conflict.slug }) {
        catalog.collections[index].values["recordName"] = .string(String(name))
      }
    }
    let feed = Int.random(in: catalog.feeds.indices, using: &random)
    let slug = catalog.feeds[feed].slug
    let isListed = catalog.collections[0].feeds.contains(slug)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: catalog.feeds[feed].title = "Title \(step)"
    case 1: catalog.feeds[feed].feedURL = "https://\(slug).example/\(step)"
    case 2:
      catalog.feeds[feed].slug = "g\(step)"
      catalog.collections[0].feeds = catalog.collections[0].feeds.map { $0 == slug ? "g\(step)" : $0 }
    case 3:
      let old = catalog.categories[0].slug
      catalog.categories[0].slug = "k\(step)"
      for index in catalog.feeds.indices where catalog.feeds[index].category == old {
        catalog.feeds[index].category = "k\(step)"
      }
    case 4 where !isListed: catalog.feeds[feed].values["retired"] = true
    case 5 where !isListed: catalog.feeds.remove(at: feed)
    case 6: catalog.collections[0].feeds.reverse()
    case 7: catalog.collections[0].slug = "l\(step)"
    default:
      let other = (feed + 1) % catalog.feeds.count
      let url = catalog.feeds[feed].feedURL
      catalog.feeds[feed].feedURL = catalog.feeds[other].feedURL
      catalog.feeds[other].feedURL = url
    }
  }

  @Test(
    "where nobody else writes, no plan and no pull after it shows a change in the container",
    arguments: 0..<40)
  func quiet(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let now = Timestamp(milliseconds: 1_795_000_000_000)
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(RepositorySchema.text())
    var catalog = SeedCatalog(
      categories: [SeedCategory(slug: "a", name: "A"), SeedCategory(slug: "b", name: "B")],
      feeds: (0..<5).map {
        SeedFeed(
          slug: "f\($0)", title: "T\($0)", feedURL: "https://f\($0).example/feed",
          category: $0 < 3 ? "a" : "b")
      }, collections: [SeedCollection(slug: "c", title: "C", feeds: ["f0", "f1"])])
    var revisions: [String: SeedCatalog] = [:]
    var last: LastJobRun?
    var conflicts: [PlanConflict] = []
    for step in 0..<8 {
      if step > 0 { edit(&catalog, step, conflicts, &random) }
      let revision = String(repeating: "\(step)", count: 40)
      revisions[revision] = catalog
      let planner = SeedPlanner(container: container, acceptsLoss: true)
      var existing = try await planner.existing()
      var plan = try await planner.plan(catalog, with: &existing, at: now)
      plan.markChanges(
        since: try await applied(last, revisions).agreement(in: existing), isInGit: true, in: existing)
      #expect(plan.replacedEdits.isEmpty, "step \(step)")
      plan.revision = revision
      let report = await ChangeExecutor(container: container, policy: .refuse).apply(plan.changes)
      #expect(report.isComplete)
      last = LastSeedApply(last).lastRun(after: plan, report, at: now) ?? last
      conflicts = plan.conflicts
      var workspace = try seeds(of: catalog).workspace()
      var pull = SeedPull(since: try await applied(last, revisions), preference: nil)
      pull.pull(try await SeedPull.records(in: container), into: &workspace)
      #expect(pull.conflicts.isEmpty && workspace.changes.isEmpty, "step \(step): \(workspace.changes)")
    }
  }

  private func applied(_ last: LastJobRun?, _ revisions: [String: SeedCatalog]) async throws -> AppliedSeeds {
    let remembered = LastSeedApply(last)
    return AppliedSeeds(try await remembered.catalog { revisions[$0] }, values: remembered.values)
  }

  private func seeds(of catalog: SeedCatalog) throws -> ScratchSeeds {
    let json = catalog.json
    var files = [
      "categories.json": "{\"categories\": \((json["categories"] ?? []).text())}",
      "feeds/all.json": "{\"feeds\": \((json["feeds"] ?? []).text())}",
    ]
    for (index, collection) in (json["collections"]?.array ?? []).enumerated() {
      files["collections/\(index).json"] = collection.text()
    }
    return try ScratchSeeds(files)
  }
}
