import Catalog
import CloudKitModel
import RecordChanges
import Testing

@Suite("Which record a feed is")
struct FeedMatchingTests {
  @Test("a record with the same normalised URL is adopted, also by collections")
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
    let url = PublicFeed.named("alpha").feedURL
    let container = MemoryContainer([
      MemoryContainer.feed("one", url: url), MemoryContainer.feed("two", url: url),
    ])
    let plan = try await container.plan(.sample, prunes: true)
    #expect(plan.conflicts.map(\.slug) == ["alpha", "best"])
    #expect(plan.conflicts.first?.reason == "its feed URL belongs to several records: one, two")
    #expect(plan.changes.map(\.label) == ["technology", "apple", "beta", "gamma"])
    #expect(!plan.isUpToDate)
  }

  @Test("naming one of the duplicates settles the conflict")
  func settledDuplicate() async throws {
    let url = PublicFeed.named("alpha").feedURL
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
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].recordName = "brand-new"
    let plan = try await container.plan(catalog)
    let rival = PublicFeed.named("alpha").derivedName
    #expect(plan.conflicts.first?.reason == "its feed URL already belongs to the record \(rival)")
    #expect(plan.changes.isEmpty)
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
    #expect(plan.conflicts.map(\.slug) == ["alpha", "best"])
    #expect(plan.conflicts.first?.reason.hasSuffix("is already that of the feed 'beta'") == true)
  }
}
