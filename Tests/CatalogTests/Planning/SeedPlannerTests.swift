import CloudKitModel
import ContainerFaults
import Diagnostics
import RecordChanges
import Testing

@testable import Catalog

@Suite("Planning seeds")
struct SeedPlannerTests {
  @Test("an empty container gets everything, in an order in which references resolve")
  func firstPlan() async throws {
    let plan = try await MemoryContainer().plan(.sample)
    #expect(plan.changes.map(\.label) == ["technology", "apple", "alpha", "beta", "gamma", "best"])
    #expect(plan.changes.allSatisfy { $0.action == .create && $0.changeTag == nil })
    #expect(plan.unchanged == 0)
    let names = Dictionary(uniqueKeysWithValues: plan.changes.map { ($0.label, $0.recordName) })
    #expect(names["apple"] == "apple")
    #expect(names["alpha"] == SeedFeed.named("alpha").derivedName)
    #expect(names["best"] == CatalogRecordNames.collection(slug: "best"))
  }

  @Test("defaults are written, absent fields are not, and moments are stamped")
  func createdFields() async throws {
    let plan = try await MemoryContainer().plan(.sample)
    let feed = try #require(plan.changes.first { $0.label == "alpha" })
    #expect(feed.fields["language"]?.to == .string("en"))
    #expect(feed.fields["isFeatured"]?.to == .int64(0))
    #expect(feed.fields["subtitle"] == nil)
    #expect(feed.fields["addedAt"]?.to == .timestamp(MemoryContainer.evening))
    let category = try #require(plan.changes.first { $0.label == "apple" })
    #expect(category.fields["parentCategory"]?.to == .reference(Reference("technology")))
    let collection = try #require(plan.changes.last)
    #expect(
      collection.fields["feeds"]?.to
        == .references(["alpha", "beta", "gamma"].map { SeedFeed.named($0).derivedName }))
    #expect(collection.fields["createdAt"]?.to == .timestamp(MemoryContainer.evening))
    #expect(collection.fields["updatedAt"]?.to == .timestamp(MemoryContainer.evening))
  }

  @Test("an up-to-date container costs queries only, and gives an empty plan")
  func nothingToDo() async throws {
    let counter = RequestCountingContainer(try await MemoryContainer.holding(.sample))
    let plan = try await SeedPlanner(container: counter).plan(.sample, at: MemoryContainer.evening)
    #expect(plan.changes.isEmpty && plan.conflicts.isEmpty && plan.notes.isEmpty)
    #expect(plan.isUpToDate)
    #expect(plan.unchanged == 6)
    #expect(counter.counts.lookup == 0 && counter.counts.modify == 0)
    // Two records a page: one page of categories, two of feeds, one of collections.
    #expect(counter.counts.query == 4)
  }

  @Test("only the changed field of a feed is sent, with the record's change tag")
  func feedUpdate() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.feeds[1].title = "New"
    let plan = try await container.plan(catalog)
    let change = try #require(plan.changes.first)
    #expect(plan.changes.count == 1 && plan.unchanged == 5)
    #expect(change.fields == ["title": FieldChange(from: .string("BETA"), to: .string("New"))])
    #expect(change.changeTag == container[change.recordName]?.changeTag)
  }

  @Test("a collection is stamped when its content changes, and only then")
  func collectionUpdate() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.collections[0].feeds.swapAt(0, 2)
    let change = try #require(try await container.plan(catalog).changes.first)
    #expect(change.fields.keys.sorted() == ["feeds", "updatedAt"])
    #expect(
      change.fields["updatedAt"]
        == FieldChange(
          from: .timestamp(MemoryContainer.morning), to: .timestamp(MemoryContainer.evening)))
  }

  @Test("a field left out of the seeds again is cleared or goes back to its default")
  func cleared() async throws {
    var catalog = SeedCatalog.sample
    catalog.feeds[0].values["subtitle"] = "A subtitle"
    catalog.feeds[0].language = "de"
    catalog.feeds[0].tags = ["swift"]
    let container = try await MemoryContainer.holding(catalog)
    let change = try #require(try await container.plan(.sample).changes.first)
    #expect(
      change.fields == [
        "subtitle": FieldChange(from: .string("A subtitle"), to: nil),
        "language": FieldChange(from: .string("de"), to: .string("en")),
        "tags": FieldChange(from: .strings(["swift"]), to: .strings([])),
      ])
  }

  @Test("no plan ever writes a computed field, and every editorial field is planned")
  func ownership() async throws {
    var catalog = SeedCatalog.sample
    catalog.categories[0].values["description"] = "d"
    catalog.feeds[0].values["subtitle"] = "s"
    catalog.feeds[0].tags = ["t"]
    catalog.collections[0].values["tags"] = ["t"]
    catalog.feeds[0].values["imageURL"] = "https://alpha.example/i.png"
    catalog.feeds[0].values["replacedBy"] = "beta"
    catalog.collections[0].values["description"] = "d"
    catalog.collections[0].values["coverImageURL"] = "https://alpha.example/c.png"
    catalog.collections[0].values["curatorName"] = "c"
    let changes = try await MemoryContainer().plan(catalog).changes
    for recordType in CatalogRecordType.seeded {
      let written = Set(changes.filter { $0.recordType == recordType }.flatMap(\.fields.keys))
      let owned = FieldOwnership.owners(in: recordType).filter {
        [.editorial, .seedAtCreation, .seedAtChange].contains($0.value)
      }
      #expect(written == Set(owned.keys))
    }
  }

  @Test("records just written are found although no query shows them yet")
  func indexLag() async throws {
    let container = try await MemoryContainer.holding(.sample)
    container.hideFromQueries([SeedFeed.named("beta").derivedName, "apple"])
    let plan = try await container.plan(.sample)
    #expect(plan.isUpToDate && plan.unchanged == 6)
  }

  @Test("a run that was cut off anywhere is finished by planning again", arguments: 0...6)
  func cutOff(written: Int) async throws {
    let container = MemoryContainer()
    let executor = ChangeExecutor(container: container, policy: .refuse)
    let first = try await container.plan(.sample)
    _ = await executor.apply(Array(first.changes.prefix(written)))
    let second = try await container.plan(.sample)
    #expect(second.changes.map(\.recordName) == first.changes.dropFirst(written).map(\.recordName))
    _ = await executor.apply(second.changes)
    #expect(container.count == 6)
    #expect(try await container.plan(.sample).isUpToDate)
  }

  @Test("a name taken by a record of another type is a conflict")
  func foreignName() async throws {
    let container = MemoryContainer([Record(recordType: "PublicArticle", recordName: "apple")])
    let plan = try await container.plan(.sample)
    #expect(plan.conflicts.map(\.slug) == ["apple"])
    #expect(plan.conflicts.first?.reason.contains("PublicArticle") == true)
    #expect(!plan.changes.contains { $0.recordName == "apple" })
  }

  @Test("what no seed mentions is noted and stays")
  func unmentioned() async throws {
    let container = try await MemoryContainer.holding(.sample)
    container.put(MemoryContainer.feed("stray", url: "https://stray.example/"))
    let plan = try await container.plan(.sample)
    #expect(plan.isUpToDate)
    #expect(
      plan.notes == [.unmentioned(recordType: "PublicFeed", recordName: "stray", label: "Other")])
  }

  @Test("pruning deletes what no seed mentions, dependents first, with change tags")
  func prune() async throws {
    let container = try await MemoryContainer.holding(.sample)
    let rest = SeedCatalog(feeds: [])
    let plan = try await container.plan(rest, prunes: true)
    #expect(plan.changes.map(\.recordType).prefix(1) == ["FeedCollection"])
    #expect(plan.changes.suffix(2).map(\.recordName) == ["apple", "technology"])
    #expect(plan.changes.count == 6)
    #expect(plan.changes.allSatisfy { $0.action == .delete && $0.changeTag != nil && $0.fields.isEmpty })
  }

  @Test("what a collection that waits still refers to is not pruned, but waits for it")
  func pruneBehindWaitingCollection() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].recordName = "brand-new"
    catalog.feeds.remove(at: 1)
    catalog.collections[0].feeds = ["alpha", "gamma"]
    let plan = try await container.plan(catalog, prunes: true)
    #expect(plan.changes.isEmpty)
    #expect(plan.conflicts.map(\.slug) == ["alpha", "best", "beta"])
    #expect(
      plan.conflicts.last
        == PlanConflict(
          recordType: "PublicFeed", slug: "beta",
          reason: "it waits for the collection 'best', which still refers to it",
          help: "Resolve the conflict of 'best' first."))
    catalog.feeds[0].recordName = nil
    let settled = try await container.plan(catalog, prunes: true)
    #expect(settled.conflicts.isEmpty && settled.changes.map(\.action) == [.update, .delete])
  }

  @Test("the categories above a feed in conflict are not pruned")
  func pruneAboveConflict() async throws {
    var former = SeedCatalog.sample
    former.feeds[0].category = "apple"
    let container = try await MemoryContainer.holding(former)
    var catalog = SeedCatalog.sample
    catalog.categories = [SeedCategory(slug: "tech", name: "Tech")]
    for index in catalog.feeds.indices { catalog.feeds[index].category = "tech" }
    catalog.feeds[0].recordName = "brand-new"
    let plan = try await container.plan(catalog, prunes: true)
    #expect(plan.count(.delete) == 0)
    #expect(
      plan.conflicts.suffix(2).map(\.reason) == [
        "it waits for the feed 'alpha', which still refers to it",
        "it waits for the category 'apple', which still refers to it",
      ])
    catalog.feeds[0].recordName = nil
    let settled = try await container.plan(catalog, prunes: true)
    #expect(
      settled.conflicts.isEmpty && settled.changes.suffix(2).map(\.recordName) == ["apple", "technology"])
  }

  @Test("feeds that refer to each other are pruned together")
  func pruneCircle() async throws {
    let container = try await MemoryContainer.holding(.sample)
    let (beta, gamma) = (SeedFeed.named("beta").derivedName, SeedFeed.named("gamma").derivedName)
    container.edit(beta, "replacedBy", .reference(Reference(gamma)))
    container.edit(gamma, "replacedBy", .reference(Reference(beta)))
    var catalog = SeedCatalog.sample
    catalog.feeds.removeLast(2)
    catalog.collections[0].feeds = ["alpha"]
    let plan = try await container.plan(catalog, prunes: true)
    #expect(plan.conflicts.isEmpty)
    #expect(Set(plan.changes.filter { $0.action == .delete }.map(\.recordName)) == [beta, gamma])
  }

  @Test("pruning asks for the metadata of the feeds that no seed mentions, and of no other record")
  func askedMetadata() async throws {
    let container = try await MemoryContainer.holding(.sample)
    container.put(
      Record(
        recordType: "PublicFeed", recordName: "stray", fields: ["feedURL": .string("https://stray.example/")])
    )
    let watched = FaultyContainer(container)
    _ = try await SeedPlanner(container: watched, prunes: true).plan(.sample, at: MemoryContainer.evening)
    let asked = watched.requests.flatMap { request -> [String] in
      if case .lookup(let lookup) = request { lookup.recordNames } else { [] }
    }
    #expect(asked == [CatalogRecordNames.metadata(feed: "stray")])
  }

  @Test("a plan with conflicts alone is not up to date")
  func conflictsAlone() {
    var plan = SeedPlan(target: ContainerIdentity(name: "memory:", environment: .development))
    #expect(plan.isUpToDate)
    plan.conflicts = [.init(recordType: "PublicFeed", slug: "a", reason: "two records have its URL")]
    #expect(!plan.isUpToDate)
  }
}
