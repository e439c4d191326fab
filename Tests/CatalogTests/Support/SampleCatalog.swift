import Catalog
import CloudKitModel
import Diagnostics
import RecordChanges

extension SeedCatalog {
  /// Two categories, the child declared first; three feeds; one collection of all three.
  static var sample: SeedCatalog {
    SeedCatalog(
      categories: [
        SeedCategory(slug: "apple", name: "Apple", parentCategory: "technology"),
        SeedCategory(slug: "technology", name: "Technology"),
      ],
      feeds: [.named("alpha"), .named("beta"), .named("gamma")],
      collections: [SeedCollection(slug: "best", title: "Best", feeds: ["alpha", "beta", "gamma"])])
  }
}

extension SeedFeed {
  static func named(_ slug: String) -> SeedFeed {
    SeedFeed(
      slug: slug, title: slug.uppercased(), feedURL: "https://\(slug).example/feed",
      siteURL: "https://\(slug).example/", category: "technology")
  }

  var derivedName: String { CatalogRecordNames.feed(url: feedURL) }
}

extension MemoryContainer {
  static let morning = Timestamp(milliseconds: 1_700_000_000_000)
  static let evening = Timestamp(milliseconds: 1_700_000_050_000)

  /// A container that holds what a catalog declares.
  static func holding(
    _ catalog: SeedCatalog, storesSlugs: Bool = true, hidesSubscriptions: Bool = false
  ) async throws -> MemoryContainer {
    let container = MemoryContainer(storesSlugs: storesSlugs, hidesSubscriptions: hidesSubscriptions)
    let plan = try await SeedPlanner(container: container).plan(catalog, at: morning)
    _ = await ChangeExecutor(container: container, policy: .refuse).apply(plan.changes)
    return container
  }

  func plan(
    _ catalog: SeedCatalog, prunes: Bool = false, acceptsLoss: Bool = false
  ) async throws -> SeedPlan {
    try await SeedPlanner(container: ReadOnlyContainer(self), prunes: prunes, acceptsLoss: acceptsLoss)
      .plan(catalog, at: MemoryContainer.evening)
  }

  func apply(_ plan: SeedPlan) async {
    _ = await ChangeExecutor(container: self, policy: .refuse).apply(plan.changes)
  }

  /// Changes a field as somebody else would.
  func edit(_ name: String, _ field: String, _ value: FieldValue?) {
    guard var record = self[name] else { return }
    record.fields[field] = value
    put(record)
  }

  /// Users subscribe to a record.
  func subscribe(_ count: Int, to name: String) {
    for user in 0..<count {
      put(
        Record(
          recordType: "FeedSubscription",
          recordName: CatalogRecordNames.subscription(feed: name, user: "user-\(user)"),
          fields: ["feedRecordName": .string(name)]))
    }
  }

  /// A feed record that some other tool wrote.
  static func feed(_ name: String, url: String, title: String = "Other") -> Record {
    Record(
      recordType: "PublicFeed", recordName: name,
      fields: ["feedURL": .string(url), "title": .string(title), "subscriberCount": .int64(7)])
  }
}

extension SeedChangelog {
  /// What a terminal shows of the plan.
  var text: PrintableText { (body + conclusion).text() }
}
