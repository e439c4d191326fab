import Catalog
import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

/// Readers are subscriptions, whatever was published.
@Suite("Readers") struct SubscriptionReadersTests {
  private let alpha = SeedFeed.named("alpha").derivedName

  /// The catalog without alpha.
  private var fewer: SeedCatalog {
    var catalog = SeedCatalog.sample
    catalog.feeds.removeFirst()
    catalog.collections[0].feeds.removeFirst()
    return catalog
  }

  private func counts(
    _ container: MemoryContainer, _ published: [String: Int64?]
  ) async throws -> [String: ReaderCount] {
    try await container.readers(published: published)
  }

  @Test("a feed that was never counted, or whose count is masked, loses its readers by name")
  func neverCounted() async throws {
    for published in [nil, FieldValue.int64(0), .int64(2)] {
      let container = try await MemoryContainer.holding(.sample)
      container.subscribe(5, to: alpha)
      container.edit(alpha, "subscriberCount", published)
      let plan = try await container.plan(fewer, prunes: true)
      #expect(plan.risks.contains(.subscriberLoss) && plan.strandedReaders == 5)
      let text = SeedChangelog(plan).text.description
      let count = published?.int64.map { "\($0) counted at an unknown time" } ?? "never counted"
      #expect(text.contains("5 readers (5 subscriptions, \(count))"), "\(text)")
      #expect(text.contains("leaves 5 readers behind"))
    }
  }

  @Test("a published count that is larger than the subscriptions counts")
  func larger() async throws {
    let container = try await MemoryContainer.holding(.sample)
    container.subscribe(1, to: alpha)
    container.edit(alpha, "subscriberCount", .int64(9))
    let plan = try await container.plan(fewer, prunes: true)
    #expect(plan.strandedReaders == 9)
    #expect(
      plan.readers[alpha]?.text(countedAt: "2026-01-02") == "9 readers (1 subscription, 9 counted 2026-01-02)"
    )
  }

  @Test("without readers no risk about readers is asked for")
  func none() async throws {
    let container = try await MemoryContainer.holding(.sample)
    container.subscribe(3, to: "another-feed")
    let plan = try await container.plan(fewer, prunes: true)
    #expect(plan.risks == [.dataLoss] && plan.strandedReaders == 0)
    var moved = SeedCatalog.sample
    moved.feeds[0].feedURL = "https://elsewhere.example/"
    #expect(try await container.plan(moved).risks.isEmpty)
  }

  @Test("a collection has subscribers, too")
  func collections() async throws {
    let container = try await MemoryContainer.holding(.sample)
    container.subscribe(2, to: CatalogRecordNames.collection(slug: "best"))
    var catalog = SeedCatalog.sample
    catalog.collections = []
    let plan = try await container.plan(catalog, prunes: true)
    #expect(plan.risks.contains(.subscriberLoss) && plan.strandedReaders == 2)
  }

  @Test(
    "subscriptions that may not be read: the risk is asked for, with the reason, unless a count was published"
  )
  func unreadable() async throws {
    let container = try await MemoryContainer.holding(.sample, hidesSubscriptions: true)
    for (published, words) in [
      (
        nil,
        "an unknown number of readers (FeedSubscription records may not be read with this key, never counted)"
      ),
      (
        FieldValue.int64(0),
        "an unknown number of readers (FeedSubscription records may not be read with this key, 0 counted at an unknown time)"
      ),
      (
        .int64(4),
        "4 readers (FeedSubscription records may not be read with this key, 4 counted at an unknown time)"
      ),
    ] {
      container.edit(alpha, "subscriberCount", published)
      let plan = try await container.plan(fewer, prunes: true)
      #expect(plan.risks.contains(.subscriberLoss))
      #expect(SeedChangelog(plan).text.description.contains(words))
    }
    #expect(
      try await container.plan(fewer, prunes: true).deletionSummary?.contains("leaves 4 readers") == true)
  }

  @Test("reading stops at 2,000 for one feed, and the others of its query are still counted exactly")
  func limit() async throws {
    let container = MemoryContainer()
    container.subscribe(2_001, to: "big")
    container.subscribe(1_999, to: "almost")
    for number in 0..<30 { container.subscribe(number, to: "feed-\(number)") }
    var published: [String: Int64?] = ["big": nil, "almost": nil, "empty": nil]
    for number in 0..<30 { published["feed-\(number)"] = .some(nil) }
    let counts = try await counts(container, published)
    #expect(counts["big"]?.words == "2,000+ readers" && counts["big"]?.isAtLeast == true)
    #expect(counts["almost"]?.words == "1999 readers" && counts["empty"]?.mayHaveReaders == false)
    for number in 0..<30 { #expect(counts["feed-\(number)"]?.subscriptions == number) }
    #expect(counts["big"]?.text(countedAt: nil) == "2,000+ readers (2,000+ subscriptions, never counted)")
    #expect(container.queries < 200)
  }

  @Test("a published count of 2,000 or more is enough, and costs no query")
  func published() async throws {
    let container = MemoryContainer()
    let counts = try await counts(container, ["big": 2_345])
    #expect(container.queries == 0)
    #expect(counts["big"]?.text(countedAt: "2026-01-02") == "2345 readers (counted 2026-01-02)")
  }

  @Test("an equal title at a new host is no second record without a word")
  func equalTitle() async throws {
    let container = try await MemoryContainer.holding(.sample)
    container.edit(alpha, "slug", .string("former"))
    container.subscribe(5, to: alpha)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].feedURL = "https://elsewhere.example/feed"
    catalog.feeds[0].siteURL = nil
    let plan = try await container.plan(catalog)
    #expect(plan.conflicts.first?.reason.contains("has its title and 5 readers") == true)
    let accepted = try await container.plan(catalog, acceptsLoss: true)
    #expect(accepted.risks == [.subscriberLoss] && accepted.strandedReaders == 5)
  }

  // MARK: Moves

  @Test(
    "a record with readers that gets another host is a risk, pinned or not, unless a check saw the redirect")
  func readersMove() async throws {
    for pinned in [false, true] {
      let container = try await MemoryContainer.holding(.sample)
      container.subscribe(5, to: alpha)
      var catalog = SeedCatalog.sample
      catalog.feeds[0].feedURL = "https://elsewhere.example/feed"
      if pinned { catalog.feeds[0].recordName = alpha }
      let plan = try await container.plan(catalog)
      #expect(plan.risks == [.readersMove] && plan.riskNames == ["readers-move"])
      #expect(plan.deletionSummary == "moves 5 readers to another address")
      let text = SeedChangelog(plan).text.description
      #expect(text.contains("https://alpha.example/feed → https://elsewhere.example/feed"))
      container.put(
        Record(
          recordType: "FeedMetadata", recordName: CatalogRecordNames.metadata(feed: alpha),
          fields: ["redirectURL": .string("https://elsewhere.example/feed")]))
      #expect(try await container.plan(catalog).risks.isEmpty)
    }
  }

  @Test("on a site with many publishers any other address is another publisher")
  func sharedHost() async throws {
    let channel = "https://www.youtube.com/feeds/videos.xml?channel_id="
    var catalog = SeedCatalog.sample
    catalog.feeds[0].feedURL = channel + "UCa"
    let container = try await MemoryContainer.holding(catalog)
    container.subscribe(2, to: CatalogRecordNames.feed(url: channel + "UCa"))
    catalog.feeds[0].feedURL = channel + "UCb"
    #expect(try await container.plan(catalog).risks == [.readersMove])
  }

  // MARK: Saved plans

  @Test("a saved plan shows what was planned, with the readers of now")
  func saved() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = fewer
    catalog.feeds[0].feedURL = "https://elsewhere.example/feed"
    catalog.feeds[1].values["subtitle"] = "S"
    container.put(MemoryContainer.feed("stray", url: "https://stray.example/"))
    for prunes in [false, true] {
      let plan = try await container.plan(catalog, prunes: prunes)
      let file = PlanFile(
        command: "seed", target: plan.target, created: MemoryContainer.evening, changes: plan.changes,
        conflicts: plan.conflicts, shown: try shown(plan))
      let again = try await SeedPlan(saved: try PlanFile(parsing: file.json.bytes()), in: container)
      #expect(SeedChangelog(again).text.description == SeedChangelog(plan).text.description)
      #expect(again.risks == plan.risks && Set(again.notes) == Set(plan.notes))
    }
    let plan = try await container.plan(catalog, prunes: true)
    let file = PlanFile(
      command: "seed", target: plan.target, created: MemoryContainer.evening, changes: plan.changes)
    // Readers that came since the plan was made, also for a plan that does not say how many there were.
    container.subscribe(4, to: SeedFeed.named("beta").derivedName)
    container.subscribe(6, to: alpha)
    let later = try await SeedPlan(saved: file, in: container)
    #expect(later.risks.isSuperset(of: [.subscriberLoss, .readersMove]))
    // 7 were published for the stray record.
    #expect(later.strandedReaders == 6 + 7)
  }

  private func shown(_ plan: SeedPlan) throws -> JSONObject? {
    let report = SeedPlanReport(
      plan, requests: RequestCounts(), created: MemoryContainer.evening)
    return report.json["plan"]?["shown"]?.object
  }
}
