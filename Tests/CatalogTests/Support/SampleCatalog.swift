import Catalog
import CloudKitModel
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
  static func holding(_ catalog: SeedCatalog) async throws -> MemoryContainer {
    let container = MemoryContainer()
    let plan = try await SeedPlanner(container: container).plan(catalog, at: morning)
    _ = await ChangeExecutor(container: container, options: .init(policy: .refuse)).apply(plan.changes)
    return container
  }

  func plan(_ catalog: SeedCatalog, prunes: Bool = false) async throws -> SeedPlan {
    try await SeedPlanner(container: ReadOnlyContainer(self), prunes: prunes)
      .plan(catalog, at: MemoryContainer.evening)
  }

  /// A feed record that some other tool wrote.
  static func feed(_ name: String, url: String, title: String = "Other") -> Record {
    Record(
      recordType: "PublicFeed", recordName: name,
      fields: ["feedURL": .string(url), "title": .string(title), "subscriberCount": .int64(7)])
  }
}
