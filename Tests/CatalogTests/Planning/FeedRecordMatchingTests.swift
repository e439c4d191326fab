import Catalog
import CloudKitModel
import Platform
import RecordChanges
import Testing

@Suite("Which record a feed is")
struct FeedRecordMatchingTests {
  @Test("a record with the same normalized URL is adopted, also by collections")
  func adoption() async throws {
    let container = MemoryContainer([MemoryContainer.feed("OLD-1", url: "HTTPS://Alpha.example:443/feed#x")])
    let plan = try await container.plan(.sample)
    let feed = try #require(plan.changes.first { $0.label == "alpha" })
    #expect(feed.action == .update && feed.recordName == "OLD-1")
    #expect(feed.fields["subscriberCount"] == nil && feed.fields["addedAt"] == nil)
    let feeds = plan.changes.last?.fields["feeds"]?.to?.elements
    #expect(feeds?.first == .reference(Reference("OLD-1")))
  }

  @Test("two records with one URL are a conflict; the feed and its collections wait, nothing is pruned")
  func duplicateRecords() async throws {
    let url = SeedFeed.named("alpha").feedURL
    let container = MemoryContainer([
      MemoryContainer.feed("one", url: url), MemoryContainer.feed("two", url: url),
    ])
    let plan = try await container.plan(.sample, prunes: true)
    #expect(plan.conflicts.map(\.slug) == ["alpha", "best"])
    #expect(plan.conflicts.first?.reason == "its feed URL belongs to several records: one, two")
    #expect(plan.changes.map(\.label) == ["technology", "apple", "beta", "gamma"])
    #expect(!plan.isUpToDate)
  }

  @Test("of two records with one slug, the one with its title keeps it, as 'container verify' proposes")
  func repeatedSlug() async throws {
    let container = MemoryContainer([
      MemoryContainer.feed("one", url: "https://one.example"),
      MemoryContainer.feed("two", url: "https://two.example", title: "Alpha"),
    ])
    for name in ["one", "two"] { container.edit(name, "slug", .string("alpha")) }
    let conflict = try #require(try await container.plan(.sample).conflicts.first)
    #expect(conflict.reason == "its slug belongs to several records: Other (one), Alpha (two)")
    #expect(conflict.help?.contains("records update PublicFeed one --set slug=null") == true)
  }

  @Test("naming one of the duplicates settles the conflict")
  func settledDuplicate() async throws {
    let url = SeedFeed.named("alpha").feedURL
    let container = MemoryContainer([
      MemoryContainer.feed("one", url: url), MemoryContainer.feed("two", url: url),
    ])
    var catalog = SeedCatalog.sample
    catalog.feeds[0].recordName = "two"
    let plan = try await container.plan(catalog)
    #expect(plan.conflicts.isEmpty)
    #expect(plan.changes.first { $0.label == "alpha" }?.recordName == "two")
    #expect(plan.notes.contains(.unmentioned(recordType: "PublicFeed", recordName: "one", label: "Other")))
  }

  @Test("a new record name for a URL that another record has would make a duplicate")
  func namedRival() async throws {
    var catalog = SeedCatalog.sample
    catalog.feeds[0].recordName = "brand-new"
    let rival = SeedFeed.named("alpha").derivedName
    for (storesSlugs, reason) in [
      (false, "its feed URL already belongs to the record \(rival)"),
      (true, "its slug belongs to the record \(rival), but it names brand-new"),
    ] {
      let container = try await MemoryContainer.holding(.sample, storesSlugs: storesSlugs)
      let plan = try await container.plan(catalog)
      #expect(plan.conflicts.first?.reason == reason)
      #expect(plan.changes.isEmpty)
    }
  }

  @Test("two feeds that name their records may swap their URLs")
  func swap() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    let names = catalog.feeds.map(\.derivedName)
    for index in 0..<2 { catalog.feeds[index].recordName = names[index] }
    (catalog.feeds[0].feedURL, catalog.feeds[1].feedURL) = (
      catalog.feeds[1].feedURL, catalog.feeds[0].feedURL
    )
    let plan = try await container.plan(catalog)
    #expect(plan.conflicts.isEmpty)
    #expect(plan.changes.map(\.recordName) == Array(names.prefix(2)))
    #expect(plan.changes.allSatisfy { $0.fields.keys.sorted() == ["feedURL"] })
  }

  @Test("two feeds cannot be one record")
  func claimedTwice() async throws {
    var catalog = SeedCatalog.sample
    catalog.feeds[1].recordName = catalog.feeds[0].derivedName
    let plan = try await MemoryContainer().plan(catalog)
    #expect(plan.conflicts.map(\.slug) == ["alpha", "best", "beta"])
    #expect(plan.conflicts.first?.reason.hasSuffix("already belongs to the feed 'beta'") == true)
    #expect(!plan.changes.contains { $0.recordName == catalog.feeds[0].derivedName })
  }

  /// A record that moved to a new URL keeps the name that was derived from its old one.
  private func moved() throws -> MemoryContainer {
    let old = SeedFeed.named("old")
    var record = MemoryContainer.feed(old.derivedName, url: "https://new.example/feed", title: "Kottke")
    record.fields["subscriberCount"] = .int64(976)
    return MemoryContainer([record], storesSlugs: false)
  }

  private static let kottke = SeedFeed(
    slug: "kottke", title: "Kottke", feedURL: "https://new.example/feed", category: "technology")

  @Test("a record with another URL is not adopted for its name, in whichever order the feeds are read")
  func takeOver() async throws {
    let container = try moved()
    let categories = SeedCatalog.sample.categories
    for feeds in [[SeedFeed.named("old"), Self.kottke], [Self.kottke, .named("old")]] {
      let plan = try await container.plan(SeedCatalog(categories: categories, feeds: feeds))
      #expect(plan.conflicts.map(\.slug).sorted() == ["kottke", "old"])
      let conflict = try #require(plan.conflicts.first { $0.slug == "old" })
      #expect(conflict.reason.hasSuffix("already belongs to the feed 'kottke'"))
      #expect(plan.count(.update) == 0 && plan.changes.allSatisfy { $0.recordType == "FeedCategory" })
    }
  }

  @Test(
    "nor when no seed mentions that record any more; the conflict shows its URL and asks for a record name")
  func takeOverOfUnmentioned() async throws {
    let catalog = SeedCatalog(categories: SeedCatalog.sample.categories, feeds: [.named("old")])
    let plan = try await moved().plan(catalog, prunes: true)
    let conflict = try #require(plan.conflicts.first)
    #expect(plan.conflicts.map(\.slug) == ["old"])
    #expect(conflict.reason.hasSuffix("belongs to a record with another URL, https://new.example/feed"))
    #expect(conflict.help?.contains("\"recordName\": \"\(SeedFeed.named("old").derivedName)\"") == true)
    #expect(plan.changes.allSatisfy { $0.recordType == "FeedCategory" })
  }

  @Test("a record that only a lookup shows is not adopted for its name either")
  func takeOverOfHidden() async throws {
    let container = try moved()
    container.hideFromQueries([SeedFeed.named("old").derivedName])
    let plan = try await container.plan(SeedCatalog(feeds: [.named("old")]))
    #expect(plan.conflicts.map(\.slug) == ["old"] && plan.changes.isEmpty)
  }

  @Test("the record of a feed in conflict is not pruned")
  func conflictIsNotPruned() async throws {
    let container = MemoryContainer([
      MemoryContainer.feed("mine", url: "https://mine.example/"),
      MemoryContainer.feed("rival", url: SeedFeed.named("alpha").feedURL),
    ])
    var feed = SeedFeed.named("alpha")
    feed.recordName = "mine"
    let plan = try await container.plan(SeedCatalog(feeds: [feed]), prunes: true)
    #expect(plan.conflicts.map(\.slug) == ["alpha"])
    #expect(plan.changes.isEmpty)
  }

  @Test("the order of the feeds decides nothing, and no record is taken over", arguments: 1...300)
  func anyOrder(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let urls = (0..<5).map { "https://\($0).example/feed" }
    let names = urls.map(CatalogRecordNames.feed) + ["rec-1", "rec-2"]
    let container = MemoryContainer(
      names.shuffled(using: &random).prefix(.random(in: 0...5, using: &random)).map {
        MemoryContainer.feed($0, url: urls.randomElement(using: &random) ?? "")
      })
    if random.next() % 3 == 0 { container.hideFromQueries(names.filter { _ in random.next() % 2 == 0 }) }
    var free = names.shuffled(using: &random)
    var feeds = urls.enumerated().map { index, url in
      SeedFeed(
        slug: "s\(index)", recordName: random.next() % 3 == 0 ? free.removeLast() : nil, title: "T\(index)",
        feedURL: url, category: "technology")
    }.filter { _ in random.next() % 5 > 0 }

    var outcomes: Set<Outcome> = []
    for _ in 0..<6 {
      let plan = try await container.plan(SeedCatalog(feeds: feeds), prunes: true)
      outcomes.insert(Outcome(plan))
      checkOwners(of: plan, feeds, container)
      feeds.shuffle(using: &random)
    }
    #expect(outcomes.count == 1)
  }

  private struct Outcome: Hashable {
    let changes: Set<RecordChange>
    let conflicts: Set<PlanConflict>
    let unchanged: Int

    init(_ plan: SeedPlan) {
      changes = Set(plan.changes)
      conflicts = Set(plan.conflicts)
      unchanged = plan.unchanged
    }
  }

  /// A record that is there changes only for the feed that declares its name or has its URL, and not at all when a
  /// conflict speaks of it.
  private func checkOwners(of plan: SeedPlan, _ feeds: [SeedFeed], _ container: MemoryContainer) {
    let bySlug = Dictionary(uniqueKeysWithValues: feeds.map { ($0.slug, $0) })
    for change in plan.changes {
      if change.action == .update, let feed = change.label.flatMap({ bySlug[$0] }) {
        let isHolder = container[change.recordName]?["feedURL"]?.string == feed.feedURL
        #expect(feed.recordName == change.recordName || (feed.recordName == nil && isHolder))
      }
      #expect(!plan.conflicts.contains { $0.reason.contains(change.recordName) })
      #expect(change.action != .delete || !feeds.contains { $0.recordName == change.recordName })
    }
    let touched = plan.changes.map(\.recordName)
    #expect(Set(touched).count == touched.count)
  }
}
