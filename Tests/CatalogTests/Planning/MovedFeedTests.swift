import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Catalog

@Suite("Feeds, categories and collections that move")
struct MovedFeedTests {
  /// A container with the sample, whose feed alpha has readers.
  private func container() async throws -> MemoryContainer {
    let container = try await MemoryContainer.holding(.sample, storesSlugs: false)
    var record = try #require(container[SeedFeed.named("alpha").derivedName])
    record.fields["subscriberCount"] = .int64(976)
    container.put(record)
    return container
  }

  private let name = SeedFeed.named("alpha").derivedName

  /// The plan for the sample with alpha changed.
  private func plan(
    _ container: MemoryContainer? = nil, _ change: (inout SeedFeed) -> Void
  ) async throws -> SeedPlan {
    var catalog = SeedCatalog.sample
    change(&catalog.feeds[0])
    let made = try await self.container()
    return try await (container ?? made).plan(catalog)
  }

  @Test("a new path on the same host with the same title keeps the record and its readers")
  func path() async throws {
    let plan = try await plan { $0.feedURL = "https://www.alpha.example/rss" }
    #expect(plan.changes.map(\.recordName) == [name] && plan.changes[0].action == .update)
    #expect(plan.changes[0].fields.keys.sorted() == ["feedURL"])
    let text = SeedChangelog(plan).text.description
    #expect(text.contains("feed alpha moves, keeps 976 readers"))
    #expect(text.contains("add \"recordName\": \"\(name)\""))
    #expect(plan.risks.isEmpty && plan.conflicts.isEmpty)
  }

  @Test("a trailing slash, another case of the title and the site's host are the same feed")
  func spellings() async throws {
    for change: (inout SeedFeed) -> Void in [
      { $0.feedURL = "https://alpha.example/feed/" },
      { feed in
        feed.feedURL = "https://alpha.example/f"; feed.title = "Alpha"
      },
      { $0.feedURL = "https://cdn.example/alpha.xml" },
    ] {
      let plan = try await plan(nil, change)
      #expect(plan.count(.create) == 0 && plan.changes.map(\.recordName) == [name])
    }
  }

  @Test("a redirect that a health check saw is a move, whatever else changed")
  func redirect() async throws {
    let container = try await container()
    container.put(
      Record(
        recordType: "FeedMetadata", recordName: CatalogRecordNames.metadata(feed: name),
        fields: ["redirectURL": .string("https://new.example/feed")]))
    let plan = try await plan(container) { feed in
      feed.feedURL = "https://new.example/feed"
      feed.siteURL = "https://new.example/"
      feed.title = "Renamed"
    }
    #expect(plan.count(.create) == 0 && plan.changes.map(\.recordName) == [name])
  }

  @Test("a new domain with the old title is a conflict while there are readers, and the risk settles it")
  func domain() async throws {
    let change: (inout SeedFeed) -> Void = { feed in
      feed.feedURL = "https://new.example/feed"
      feed.siteURL = "https://new.example/"
    }
    let plan = try await plan(nil, change)
    #expect(plan.conflicts.map(\.slug) == ["alpha", "best"] && plan.count(.create) == 0)
    #expect(plan.conflicts[0].help?.contains("\"recordName\": \"\(name)\"") == true)
    var catalog = SeedCatalog.sample
    change(&catalog.feeds[0])
    let container = try await container()
    let accepted = try await SeedPlanner(container: container, acceptsLoss: true)
      .plan(catalog, at: MemoryContainer.evening)
    #expect(accepted.conflicts.isEmpty && accepted.count(.create) == 1)
    #expect(accepted.risks == [.subscriberLoss] && accepted.strandedReaders == 976)
    catalog.feeds[0].recordName = name
    let pinned = try await container.plan(catalog)
    #expect(pinned.conflicts.isEmpty && pinned.count(.create) == 0 && pinned.risks == [.readersMove])
  }

  @Test("without readers the old title alone is a note, and so is a host alone")
  func notes() async throws {
    let plain = try await MemoryContainer.holding(.sample, storesSlugs: false)
    let byTitle = try await plan(plain) { feed in
      feed.feedURL = "https://new.example/feed"
      feed.siteURL = nil
    }
    let byHost = try await plan { feed in
      feed.feedURL = "https://alpha.example/other"
      feed.title = "Other"
    }
    for plan in [byTitle, byHost] {
      #expect(plan.count(.create) == 1 && plan.conflicts.isEmpty)
      #expect(plan.notes.contains(.probablyMoved(slug: "alpha", recordName: name, label: "ALPHA")))
    }
  }

  @Test("domain and title new: another feed, and nothing is guessed")
  func another() async throws {
    let plan = try await plan { feed in
      feed.feedURL = "https://new.example/feed"
      feed.siteURL = "https://new.example/"
      feed.title = "New"
    }
    #expect(plan.count(.create) == 1 && plan.conflicts.isEmpty)
    #expect(!plan.notes.contains { if case .probablyMoved = $0 { true } else { false } })
  }

  @Test("on a host of many publishers the same title proves nothing")
  func sharedHost() async throws {
    let channel = "https://www.youtube.com/feeds/videos.xml?channel_id="
    var feed = MemoryContainer.feed("tube", url: channel + "UCa", title: "News")
    feed.fields["subscriberCount"] = .int64(5)
    let seed = SeedFeed(slug: "news", title: "News", feedURL: channel + "UCb", category: "technology")
    let catalog = SeedCatalog(categories: SeedCatalog.sample.categories, feeds: [seed])
    let plan = try await MemoryContainer([feed], storesSlugs: false).plan(catalog)
    #expect(plan.conflicts.map(\.slug) == ["news"])
  }

  @Test("five feeds of a site move at once; without slugs it is not guessed which of two exchanged addresses")
  func several() async throws {
    var catalog = SeedCatalog.sample
    catalog.feeds = (0..<5).map {
      SeedFeed(
        slug: "s\($0)", title: "Title \($0)", feedURL: "https://site.example/\($0)", category: "apple")
    }
    catalog.collections = []
    let container = try await MemoryContainer.holding(catalog, storesSlugs: false)
    var moved = catalog
    for index in 0..<5 { moved.feeds[index].feedURL = "https://site.example/new/\(index)" }
    let plan = try await container.plan(moved)
    #expect(plan.count(.create) == 0 && plan.count(.update) == 5 && plan.conflicts.isEmpty)
    for (index, change) in plan.changes.enumerated() {
      #expect(change.recordName == CatalogRecordNames.feed(url: "https://site.example/\(index)"))
    }
    var swapped = catalog
    (swapped.feeds[0].feedURL, swapped.feeds[1].feedURL) = (
      swapped.feeds[1].feedURL, swapped.feeds[0].feedURL
    )
    let exchange = try await container.plan(swapped)
    #expect(exchange.conflicts.map(\.slug) == ["s0", "s1"] && exchange.changes.isEmpty)
  }

  @Test("two records that could be the feed, or two feeds that could be the record, are not guessed")
  func ambiguous() async throws {
    let container = try await container()
    container.put(MemoryContainer.feed("twin", url: "https://alpha.example/twin", title: "ALPHA"))
    let plan = try await plan(container) { $0.feedURL = "https://alpha.example/rss" }
    #expect(!plan.changes.contains { $0.recordName == name || $0.recordName == "twin" })
    #expect(plan.conflicts.map(\.slug).contains("alpha"))
  }

  @Test(
    "a category keeps the record with its slug; a new slug with an old name is a conflict that names the line"
  )
  func categories() async throws {
    let container = MemoryContainer([
      Record(
        recordType: "FeedCategory", recordName: "ABC-1",
        fields: ["slug": .string("technology"), "name": .string("Technology")])
    ])
    let adopted = try await container.plan(.sample)
    #expect(adopted.changes.first { $0.recordName == "ABC-1" }?.action == .update)
    #expect(!adopted.changes.contains { $0.recordName == "technology" })
    let feed = adopted.changes.first { $0.label == "alpha" }
    #expect(feed?.fields["category"]?.to?.reference?.recordName == "ABC-1")

    var catalog = SeedCatalog.sample
    catalog.categories[1].slug = "tech"
    catalog.categories[0].values["parentCategory"] = "tech"
    for index in catalog.feeds.indices { catalog.feeds[index].category = "tech" }
    let held = try await MemoryContainer.holding(.sample)
    let plan = try await held.plan(catalog)
    #expect(plan.conflicts.map(\.slug) == ["tech"] && plan.changes.isEmpty)
    #expect(plan.conflicts[0].help?.contains("\"recordName\": \"technology\"") == true)
    catalog.categories[1].recordName = "technology"
    let pinned = try await held.plan(catalog)
    #expect(pinned.conflicts.isEmpty && pinned.count(.create) == 0)
    #expect(pinned.changes.map(\.recordName) == ["technology"])
  }

  @Test("a collection with a new slug and an old title is a conflict; its record name settles it")
  func collections() async throws {
    let container = try await container()
    var catalog = SeedCatalog.sample
    catalog.collections[0].slug = "finest"
    let plan = try await container.plan(catalog)
    #expect(plan.conflicts.map(\.slug) == ["finest"] && plan.changes.isEmpty)
    catalog.collections[0].recordName = CatalogRecordNames.collection(slug: "best")
    #expect(try await container.plan(catalog).isUpToDate)
  }

  @Test("seeds with record names make the same records in an empty container")
  func secondContainer() async throws {
    var catalog = SeedCatalog.sample
    catalog.feeds[0].recordName = "mine"
    catalog.categories[0].recordName = "my-category"
    catalog.collections[0].recordName = "my-collection"
    let container = try await MemoryContainer.holding(catalog)
    #expect(container["mine"] != nil && container["my-category"] != nil && container["my-collection"] != nil)
    #expect(try await container.plan(catalog).isUpToDate)
  }

  @Test("a deleted feed takes what health checks know about it along")
  func metadata() async throws {
    let container = try await container()
    let metadata = CatalogRecordNames.metadata(feed: name)
    container.put(Record(recordType: "FeedMetadata", recordName: metadata, fields: [:]))
    var catalog = SeedCatalog.sample
    catalog.feeds.removeFirst()
    catalog.collections[0].feeds.removeFirst()
    let plan = try await container.plan(catalog, prunes: true)
    #expect(plan.changes.filter { $0.action == .delete }.map(\.recordName) == [metadata, name])
    #expect(plan.count(.delete) == 2 && plan.strandedReaders == 976)
    #expect(plan.deletions.map(\.description) == ["1 of 3 feeds (33 %)"])
  }

  @Test("a retired feed is written as one, is featured no more, and names what replaces it")
  func retired() async throws {
    let container = try await container()
    #expect(try await container.plan(.sample).changes.isEmpty)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].values["isFeatured"] = true
    catalog.feeds[0].values["retired"] = true
    catalog.feeds[0].values["replacedBy"] = "beta"
    catalog.collections[0].feeds.removeFirst()
    let plan = try await container.plan(catalog)
    let alpha = try #require(plan.changes.first { $0.recordName == name })
    #expect(alpha.fields.keys.sorted() == ["isRetired", "replacedBy"])
    #expect(alpha.fields["replacedBy"]?.to?.reference?.recordName == SeedFeed.named("beta").derivedName)
    let beta = try #require(plan.changes.first { $0.label == "beta" })
    #expect(beta.fields == ["isRetired": FieldChange(from: nil, to: .int64(0))])
    _ = await ChangeExecutor(container: container, policy: .refuse).apply(plan.changes)
    let back = try await container.plan(.sample)
    #expect(back.changes.first { $0.recordName == name }?.fields["isRetired"]?.to == .int64(0))
    #expect(back.changes.first { $0.recordName == name }?.fields["replacedBy"]?.to == .some(nil))
  }

  @Test(
    "readers may come to another publisher when the host or an account changes, or on a host of many publishers",
    arguments: [
      ("https://a.example/feed", "https://www.a.example/rss.xml", false),
      ("https://a.example/feed", "https://a.example/ann/feed", false),
      ("https://a.example/ann/index.php?format=rss", "https://a.example/ann/?feed=rss2&utm_source=x", false),
      ("https://a.example/@ann.rss", "https://a.example/@ann.xml", false),
      ("https://a.example/@ann.rss", "https://a.example/@ben.rss", true),
      ("https://a.example/old/rss", "https://a.example/new/rss", false),
      ("https://a.example/users/7.rss", "https://a.example/users/8.rss", true),
      ("https://a.example/?channel_id=%41&x=1", "https://a.example/?channel_id=B&x=1", true),
      ("https://a.example/?channel_id=A", "https://a.example/feed?channel_id=A&id=2", false),
      ("https://www.a.example/", "http://a.example/", false),
      ("https://a.example/", "https://b.example/", true),
      ("https://a.example/", "https://x.a.example/", true),
      ("https://github.com/a", "https://github.com/b", true), ("no address", "https://b.example/", true),
    ])
  func publishers(_ from: String, _ to: String, _ changes: Bool) {
    func move(_ evidence: MovedFeed.Evidence) -> MovedFeed {
      MovedFeed(
        slug: "s", recordName: "r", label: "l", from: from, to: to, readers: ReaderCount(), evidence: evidence
      )
    }
    #expect(move(.recordName).changesPublisher == changes)
    #expect(!move(.redirect).changesPublisher)
    var redirected = move(.slug)
    redirected.noteRedirect(nil)
    #expect(redirected.evidence == .slug)
    redirected.noteRedirect("https://elsewhere.example/")
    #expect(redirected.evidence == .slug)
    redirected.noteRedirect(to + "#top")
    #expect(redirected.evidence == .redirect || WebAddress(to) == nil)
  }

  @Test("only an update of a feed's address to another one is a move")
  func changes() {
    func move(
      _ type: String = "PublicFeed", _ action: RecordChange.Action = .update,
      from: String? = "https://a.example/",
      to: String? = "https://b.example/"
    ) -> MovedFeed? {
      let change = RecordChange(
        action, recordType: type, recordName: "r",
        fields: ["feedURL": FieldChange(from: from.map(FieldValue.string), to: to.map(FieldValue.string))])
      return MovedFeed(change, label: nil, readers: ReaderCount(), evidence: .slug)
    }
    #expect(move()?.slug == "r" && move()?.label == "r" && move()?.to == "https://b.example/")
    #expect(move("Feed") != nil)
    #expect(move("FeedCategory") == nil)
    #expect(move("PublicFeed", .create) == nil)
    #expect(move(from: nil) == nil)
    #expect(move(to: nil) == nil)
    #expect(move(to: "HTTPS://A.example") == nil)
  }
}
