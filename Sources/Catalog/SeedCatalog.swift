internal import Diagnostics

/// The catalog that a seed directory declares, checked: all slugs in it resolve.
package struct SeedCatalog: Sendable, Hashable {
  package var categories: [SeedCategory]
  package var feeds: [SeedFeed]
  package var collections: [SeedCollection]
  /// False for a seed directory without `feeds/`: that it declares no feeds may be a mistake.
  package var hasFeedsFolder = true
  /// What the keys of its entries mean.
  package let fields: SeedFields

  package init(
    categories: [SeedCategory] = [], feeds: [SeedFeed] = [], collections: [SeedCollection] = [],
    fields: SeedFields = .celestra
  ) {
    self.categories = categories
    self.feeds = feeds
    self.collections = collections
    self.fields = fields
  }

  /// The entries of a kind, in declared order.
  package func entries(_ kind: SeedKind) -> [any SeedEntry] {
    switch kind {
    case .category: categories
    case .feed: feeds
    case .collection: collections
    }
  }

  /// The categories, each after the one it belongs under, otherwise in declared order.
  ///
  /// Categories in a cycle of parents, which the loader refuses, come last.
  package var categoriesParentsFirst: [SeedCategory] {
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

package struct SeedCategory: SeedEntry {
  package static let kind = SeedKind.category
  package var values: SeedValues

  package init(_ values: SeedValues) { self.values = values }

  package init(slug: String, name: String, parentCategory: String? = nil) {
    self.init(SeedValues())
    self.slug = slug
    self.name = name
    self.parentCategory = parentCategory
  }

  package var name: String {
    get { text("name") ?? "" }
    set { set("name", newValue) }
  }
  /// Categories are listed in ascending order.
  package var sortOrder: Int64 { values["sortOrder"]?.integer ?? 0 }
  /// The slug of the category this one belongs under.
  package var parentCategory: String? {
    get { text("parentCategory") }
    set { set("parentCategory", newValue) }
  }
}

package struct SeedFeed: SeedEntry {
  package static let kind = SeedKind.feed
  package var values: SeedValues

  package init(_ values: SeedValues) { self.values = values }

  package init(
    slug: String, recordName: String? = nil, title: String, feedURL: String, siteURL: String? = nil,
    category: String? = nil
  ) {
    self.init(SeedValues())
    self.slug = slug
    self.recordName = recordName
    self.title = title
    self.feedURL = feedURL
    self.siteURL = siteURL
    set("category", category)
  }

  package var title: String {
    get { text("title") ?? "" }
    set { set("title", newValue) }
  }
  /// As declared; compare with ``WebAddress/normalized(_:)``.
  package var feedURL: String {
    get { text("feedURL") ?? "" }
    set { set("feedURL", newValue) }
  }
  package var siteURL: String? {
    get { text("siteURL") }
    set { set("siteURL", newValue) }
  }
  package var subtitle: String? {
    get { text("subtitle") }
    set { set("subtitle", newValue) }
  }
  package var imageURL: String? {
    get { text("imageURL") }
    set { set("imageURL", newValue) }
  }
  /// The category's slug.
  package var category: String {
    get { text("category") ?? "" }
    set { set("category", newValue) }
  }
  /// ISO 639-1, lower case.
  package var language: String {
    get { text("language") ?? "en" }
    set { set("language", newValue) }
  }
  package var tags: [String] {
    get { texts("tags") }
    set { set("tags", newValue) }
  }
  package var isFeatured: Bool {
    get { flag("isFeatured") }
    set { set("isFeatured", newValue) }
  }
  package var isVerified: Bool {
    get { flag("isVerified") }
    set { set("isVerified", newValue) }
  }
  /// Whether the feed has ended or was replaced: apps then only show it to its subscribers.
  package var isRetired: Bool {
    get { flag("retired") }
    set { set("retired", newValue) }
  }
  /// The slug of the feed that took its place.
  package var replacedBy: String? {
    get { text("replacedBy") }
    set { set("replacedBy", newValue) }
  }
  /// Slugs of feeds with similar addresses that an editor has compared with this one.
  package var differentFrom: [String] {
    get { texts("differentFrom") }
    set { set("differentFrom", newValue) }
  }
}

package struct SeedCollection: SeedEntry {
  package static let kind = SeedKind.collection
  package var values: SeedValues

  package init(_ values: SeedValues) { self.values = values }

  package init(slug: String, title: String, feeds: [String]) {
    self.init(SeedValues())
    self.slug = slug
    self.title = title
    self.feeds = feeds
  }

  package var title: String {
    get { text("title") ?? "" }
    set { set("title", newValue) }
  }
  /// The feeds' slugs, in editorial order.
  package var feeds: [String] {
    get { texts("feeds") }
    set { set("feeds", newValue) }
  }
}
