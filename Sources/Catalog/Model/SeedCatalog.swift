/// The catalog that a seed directory declares, checked: all slugs in it resolve.
public struct SeedCatalog: Sendable, Hashable {
  public var categories: [SeedCategory]
  public var feeds: [SeedFeed]
  public var collections: [SeedCollection]
  /// False for a seed directory without `feeds/`: that it declares no feeds may be a mistake.
  public var hasFeedsFolder = true

  public init(
    categories: [SeedCategory] = [], feeds: [SeedFeed] = [], collections: [SeedCollection] = []
  ) {
    self.categories = categories
    self.feeds = feeds
    self.collections = collections
  }

  /// The categories, each after the one it belongs under, otherwise in declared order.
  ///
  /// Categories in a cycle of parents, which the loader refuses, come last.
  public var categoriesParentsFirst: [SeedCategory] {
    var placed = Set<String>()
    var ordered: [SeedCategory] = []
    var waiting = categories
    while !waiting.isEmpty {
      let ready = waiting.filter { $0.parentCategory.map(placed.contains) ?? true }
      if ready.isEmpty { return ordered + waiting }
      ordered += ready
      placed.formUnion(ready.map(\.slug))
      waiting.removeAll { placed.contains($0.slug) }
    }
    return ordered
  }
}
