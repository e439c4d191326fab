import CloudKitModel
import Diagnostics
import RecordChanges
import SchemaLanguage
import Testing

@testable import Catalog

/// A seed keeps its record by its slug, whatever becomes of addresses and titles.
@Suite("Slugs in records") struct FeedSlugTests {
  private static func feed(_ slug: String, _ url: String, title: String? = nil) -> SeedFeed {
    SeedFeed(slug: slug, title: title ?? slug.uppercased(), feedURL: url, category: "technology")
  }

  private static func url(_ number: Int) -> String { "https://site\(number).example/feed" }

  private static func name(_ number: Int) -> String { CatalogRecordNames.feed(url: url(number)) }

  private static func catalog(_ feeds: [SeedFeed]) -> SeedCatalog {
    SeedCatalog(categories: [SeedCatalog.sample.categories[1]], feeds: feeds)
  }

  /// f0, f1 and f2 at site0, site1 and site2.
  private static let three = catalog((0..<3).map { feed("f\($0)", url($0)) })

  private func container(storesSlugs: Bool = true, readers: [Int] = [5, 3, 1]) async throws -> MemoryContainer
  {
    let container = try await MemoryContainer.holding(Self.three, storesSlugs: storesSlugs)
    for (number, count) in readers.enumerated() { container.subscribe(count, to: Self.name(number)) }
    return container
  }

  /// The addresses by slug of the records after an apply, and which record each slug has.
  private func owners(_ container: MemoryContainer) -> [String: String] {
    var owners: [String: String] = [:]
    for number in 0..<3 {
      guard let record = container[Self.name(number)], let slug = record["slug"]?.string else { continue }
      owners[slug] = record.recordName
    }
    return owners
  }

  @Test(
    "in swaps, chains and rotations addresses move, not readers",
    arguments: [[1, 0, 2], [1, 2, 0], [2, 0, 1], [1, 7, 2], [1, 2, 8], [9, 0, 1]])
  func exchanges(_ numbers: [Int]) async throws {
    let container = try await container()
    let moved = Self.catalog((0..<3).map { Self.feed("f\($0)", Self.url(numbers[$0])) })
    for catalog in [moved, Self.catalog(moved.feeds.reversed())] {
      let plan = try await container.plan(catalog)
      #expect(plan.conflicts.isEmpty && plan.count(.create) == 0)
      for change in plan.changes where change.recordType == "PublicFeed" {
        let number = try #require((0..<3).first { Self.name($0) == change.recordName })
        #expect(change.label == "f\(number)" && change.fields.keys.sorted() == ["feedURL"])
      }
      #expect(plan.risks == [.readersMove])
      let moving = [5, 3, 1].enumerated().filter { numbers[$0.offset] != $0.offset }.map(\.element)
      #expect(plan.readers.values.compactMap(\.subscriptions).sorted() == moving.sorted())
    }
    await container.apply(try await container.plan(moved))
    #expect(owners(container) == ["f0": Self.name(0), "f1": Self.name(1), "f2": Self.name(2)])
    #expect(try await container.plan(moved).isUpToDate)
    #expect(container[Self.name(0)]?["feedURL"]?.string == Self.url(numbers[0]))
  }

  @Test("title and address changed together keep the record; on the same host no risk is asked for")
  func titleAndPath() async throws {
    let container = try await container()
    var catalog = Self.three
    catalog.feeds[0].title = "Something else"
    catalog.feeds[0].feedURL = "https://www.site0.example/new/path"
    let plan = try await container.plan(catalog)
    #expect(plan.changes.map(\.recordName) == [Self.name(0)] && plan.risks.isEmpty)
    let text = SeedChangelog(plan).text.description
    #expect(text.contains("feed f0 moves, keeps 5 readers (5 subscriptions, never counted)"))
    #expect(text.contains("because the record has this slug") && !text.contains("To pin it"))
  }

  @Test("a renamed slug keeps the record with its address; title and address may not both be another's")
  func renamed() async throws {
    let container = try await container()
    var catalog = Self.three
    catalog.feeds[0].slug = "new-slug"
    let plan = try await container.plan(catalog)
    #expect(plan.changes.map(\.recordName) == [Self.name(0)])
    #expect(plan.changes[0].fields == ["slug": FieldChange(from: .string("f0"), to: .string("new-slug"))])
    #expect(plan.notes.contains(.renamed(slug: "new-slug", from: "f0", recordName: Self.name(0))))
    // Two slugs are new, and their addresses were exchanged.
    let swapped = Self.catalog([
      Self.feed("x", Self.url(1), title: "F0"), Self.feed("y", Self.url(0), title: "F1"), Self.three.feeds[2],
    ])
    let refused = try await container.plan(swapped)
    #expect(refused.conflicts.map(\.slug) == ["x", "y"] && refused.changes.isEmpty)
    #expect(
      refused.conflicts[0].help?.contains("records update PublicFeed \(Self.name(1)) --set slug=y") == true)
    // What the conflicts print settles them.
    container.edit(Self.name(1), "slug", .string("y"))
    container.edit(Self.name(0), "slug", .string("x"))
    let settled = try await container.plan(swapped)
    #expect(settled.conflicts.isEmpty && settled.count(.create) == 0 && settled.risks == [.readersMove])
  }

  @Test("a slug that is renamed while the address changes keeps the record by title and host")
  func renamedAndMoved() async throws {
    let container = try await container()
    var catalog = Self.three
    catalog.feeds[0].slug = "new-slug"
    catalog.feeds[0].feedURL = "https://site0.example/other"
    let plan = try await container.plan(catalog)
    #expect(plan.changes.map(\.recordName) == [Self.name(0)] && plan.conflicts.isEmpty)
    #expect(plan.moves.map(\.evidence) == [.title])
    // With a new host it could be another feed.
    catalog.feeds[0].feedURL = "https://elsewhere.example/"
    let doubtful = try await container.plan(catalog)
    #expect(doubtful.conflicts.map(\.slug) == ["new-slug"])
    #expect(doubtful.conflicts[0].reason.contains("5 readers"))
  }

  @Test(
    "an address that another record keeps is a conflict, for pinned and slugged feeds, and those behind them")
  func takenAddress() async throws {
    let container = try await container()
    container.put(MemoryContainer.feed("stray", url: "https://stray.example/feed"))
    // f0 wants the address of a record without a seed, f1 that of f0, f2 that of f1.
    var catalog = Self.catalog([
      Self.feed("f0", "https://stray.example/feed"), Self.feed("f1", Self.url(0)),
      Self.feed("f2", Self.url(1)),
    ])
    for pinned in [false, true] {
      if pinned { catalog.feeds[0].recordName = Self.name(0) }
      let plan = try await container.plan(catalog, prunes: true)
      #expect(plan.conflicts.map(\.slug) == ["f0", "f1", "f2"] && plan.changes.isEmpty)
      #expect(plan.conflicts[0].reason.contains("stray"))
      // The first step frees the slug; those behind wait.
      let last =
        pinned
        ? "change the \"recordName\" of 'f0' to" : "run 'celestra-admin records update PublicFeed stray"
      #expect(plan.conflicts[0].help?.contains("\(Self.name(0)) --set slug=null', then \(last)") == true)
      #expect(plan.conflicts[2].help == "Resolve the conflict of 'f1' first.")
    }
  }

  @Test("two records with one slug are a conflict; a pinned feed does not take another seed's record")
  func sharedSlugs() async throws {
    let container = try await container()
    container.edit(Self.name(1), "slug", .string("f0"))
    let plan = try await container.plan(Self.three)
    #expect(plan.conflicts.map(\.slug) == ["f0", "f1"] && plan.changes.isEmpty)
    #expect(plan.conflicts[0].help?.contains("--set slug=null") == true)
    #expect(plan.conflicts[1].reason.contains("has the slug of the feed 'f0'"))
    container.edit(Self.name(1), "slug", .string("f1"))
    var pinned = Self.three
    pinned.feeds[0].recordName = Self.name(1)
    pinned.feeds[0].feedURL = Self.url(1)
    pinned.feeds.remove(at: 1)
    pinned.feeds.append(Self.feed("f1", "https://site1.example/other"))
    let taken = try await container.plan(pinned)
    #expect(taken.conflicts.map(\.slug).contains("f0"))
    #expect(!taken.changes.contains { $0.recordName == Self.name(1) })
  }

  @Test("a record made by hand without a slug is found by its address, and gets the slug")
  func byHand() async throws {
    let container = MemoryContainer(
      [MemoryContainer.feed("hand", url: Self.url(0), title: "F0")], storesSlugs: true)
    let plan = try await container.plan(Self.three)
    let change = try #require(plan.changes.first { $0.recordName == "hand" })
    #expect(change.fields["slug"] == FieldChange(from: nil, to: .string("f0")))
    await container.apply(plan)
    // A second record of the same address does not confuse it any more.
    container.put(MemoryContainer.feed("twin", url: Self.url(0)))
    let next = try await container.plan(Self.three)
    #expect(next.changes.isEmpty && next.conflicts.isEmpty)
  }

  @Test(
    "without slugs an address with another seed's title is a conflict, in old schemas and at the first apply")
  func firstApply() async throws {
    for storesSlugs in [false, true] {
      let container = try await container(storesSlugs: storesSlugs)
      for number in 0..<3 { container.edit(Self.name(number), "slug", nil) }
      let swapped = Self.catalog([
        Self.feed("f0", Self.url(1)), Self.feed("f1", Self.url(0)), Self.three.feeds[2],
      ])
      let plan = try await container.plan(swapped)
      #expect(plan.conflicts.map(\.slug) == ["f0", "f1"])
      #expect(plan.conflicts[0].reason.contains("which has the title of the feed 'f1'"))
      #expect(plan.conflicts[0].help?.contains("--set slug") == storesSlugs)
      #expect(plan.conflicts[0].help?.contains("\"recordName\": \"\(Self.name(1))\"") == true)
      // Only the title changed.
      var retitled = Self.three
      retitled.feeds[0].title = "Brand new"
      #expect(try await container.plan(retitled).conflicts.isEmpty)
    }
  }

  @Test("an older schema gets no slug, and a note")
  func olderSchema() async throws {
    let container = try await container(storesSlugs: false)
    let plan = try await container.plan(Self.three)
    #expect(plan.changes.isEmpty && plan.notes == [.noSlugs])
    #expect(container[Self.name(0)]?["slug"] == nil)
    var schema = try RepositoryFile.shippedSchema()
    #expect(SeedSchemaCheck.gaps(in: schema).isEmpty)
    for index in schema.recordTypes.indices where schema.recordTypes[index].name == "PublicFeed" {
      schema.recordTypes[index].fields.removeAll { $0.name == "slug" }
    }
    #expect(SeedSchemaCheck.gaps(in: schema).isEmpty)
    let known = SeedPlanner(container: MemoryContainer(storesSlugs: true), schema: schema)
    #expect(
      try await known.plan(Self.three, at: MemoryContainer.morning).changes.allSatisfy { change in
        change.recordType != "PublicFeed" || change.fields["slug"] == nil
      })
  }

  @Test("two seeds with one address at different times: the first seed's record stays its own")
  func addressReused() async throws {
    let container = try await container()
    var catalog = Self.three
    catalog.feeds[0].feedURL = "https://site0.example/moved"
    await container.apply(try await container.plan(catalog))
    catalog.feeds.append(Self.feed("later", Self.url(0)))
    let plan = try await container.plan(catalog)
    #expect(plan.conflicts.map(\.slug) == ["later"] && plan.changes.isEmpty)
    #expect(plan.conflicts[0].reason.contains("already belongs to the feed 'f0'"))
    catalog.feeds[3].recordName = "later"
    let named = try await container.plan(catalog)
    #expect(named.changes.map(\.recordName) == ["later"] && named.conflicts.isEmpty)
  }

  // MARK: Added values

  @Test("slugs and isRetired that existing records get are a line each, with a number")
  func addedValues() async throws {
    let container = try await container()
    for number in 0..<3 { container.edit(Self.name(number), "slug", nil) }
    var catalog = Self.three
    catalog.feeds[0].values["retired"] = true
    catalog.feeds[1].values["subtitle"] = "New"
    let plan = try await container.plan(catalog)
    #expect(plan.count(.update) == 3)
    let text = SeedChangelog(plan).text.description
    #expect(text.contains("~ 3 feeds slug: none → the slug of the seed"))
    #expect(text.contains("~ 2 feeds isRetired: none → no"))
    #expect(text.contains("2 to update, 1 gets only an added value, 1 unchanged."))
    #expect(!text.contains("feed f2") && text.contains("isRetired: none → yes"))
    #expect(text.contains("~ feed f0 retires, keeps 5 readers (5 subscriptions, never counted)"))
  }
}
