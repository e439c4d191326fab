internal import Diagnostics

/// The catalog that a seed directory declares, checked: all slugs in it resolve.
public struct SeedCatalog: Sendable, Hashable {
  public var categories: [SeedCategory]
  public var feeds: [SeedFeed]
  public var collections: [SeedCollection]
  /// False for a seed directory without `feeds/`: that it declares no feeds may be a mistake.
  public var hasFeedsFolder = true
  /// What the keys of its entries mean.
  public let fields: SeedFields

  public init(
    categories: [SeedCategory] = [], feeds: [SeedFeed] = [], collections: [SeedCollection] = [],
    fields: SeedFields = .celestra
  ) {
    self.categories = categories
    self.feeds = feeds
    self.collections = collections
    self.fields = fields
  }

  /// The entries of a kind, in declared order.
  public func entries(_ kind: SeedKind) -> [any SeedEntry] {
    switch kind {
    case .category: categories
    case .feed: feeds
    case .collection: collections
    }
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

/// A category of feeds, as declared in the seeds.
public struct SeedCategory: SeedEntry {
  public static let kind = SeedKind.category
  public var values: SeedValues

  public init(_ values: SeedValues) { self.values = values }

  public init(slug: String, name: String, parentCategory: String? = nil) {
    self.init(SeedValues())
    self.slug = slug
    self.name = name
    self.parentCategory = parentCategory
  }

  public var name: String {
    get { text("name") ?? "" }
    set { set("name", newValue) }
  }
  /// Categories are listed in ascending order.
  public var sortOrder: Int64 { values["sortOrder"]?.integer ?? 0 }
  /// The slug of the category this one belongs under.
  public var parentCategory: String? {
    get { text("parentCategory") }
    set { set("parentCategory", newValue) }
  }
  public var description: String? {
    get { text("description") }
    set { set("description", newValue) }
  }
}

/// A feed of the catalog, as declared in the seeds.
public struct SeedFeed: SeedEntry {
  public static let kind = SeedKind.feed
  public var values: SeedValues

  public init(_ values: SeedValues) { self.values = values }

  public init(
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

  public var title: String {
    get { text("title") ?? "" }
    set { set("title", newValue) }
  }
  /// As declared; compare with ``WebAddress/normalized(_:)``.
  public var feedURL: String {
    get { text("feedURL") ?? "" }
    set { set("feedURL", newValue) }
  }
  public var siteURL: String? {
    get { text("siteURL") }
    set { set("siteURL", newValue) }
  }
  public var subtitle: String? {
    get { text("subtitle") }
    set { set("subtitle", newValue) }
  }
  public var imageURL: String? {
    get { text("imageURL") }
    set { set("imageURL", newValue) }
  }
  /// The category's slug.
  public var category: String {
    get { text("category") ?? "" }
    set { set("category", newValue) }
  }
  /// ISO 639-1, lower case.
  public var language: String {
    get { text("language") ?? "en" }
    set { set("language", newValue) }
  }
  public var tags: [String] {
    get { texts("tags") }
    set { set("tags", newValue) }
  }
  public var isFeatured: Bool {
    get { flag("isFeatured") }
    set { set("isFeatured", newValue) }
  }
  public var isVerified: Bool {
    get { flag("isVerified") }
    set { set("isVerified", newValue) }
  }
  /// Whether the feed has ended or was replaced: apps then only show it to its subscribers.
  public var isRetired: Bool {
    get { flag("retired") }
    set { set("retired", newValue) }
  }
  /// The slug of the feed that took its place.
  public var replacedBy: String? {
    get { text("replacedBy") }
    set { set("replacedBy", newValue) }
  }
  /// Slugs of feeds with similar addresses that an editor has compared with this one.
  public var differentFrom: [String] {
    get { texts("differentFrom") }
    set { set("differentFrom", newValue) }
  }
}

/// An ordered list of feeds, as declared in the seeds.
public struct SeedCollection: SeedEntry {
  public static let kind = SeedKind.collection
  public var values: SeedValues

  public init(_ values: SeedValues) { self.values = values }

  public init(slug: String, title: String, feeds: [String]) {
    self.init(SeedValues())
    self.slug = slug
    self.title = title
    self.feeds = feeds
  }

  public var title: String {
    get { text("title") ?? "" }
    set { set("title", newValue) }
  }
  public var description: String? {
    get { text("description") }
    set { set("description", newValue) }
  }
  public var coverImageURL: String? {
    get { text("coverImageURL") }
    set { set("coverImageURL", newValue) }
  }
  public var curatorName: String? {
    get { text("curatorName") }
    set { set("curatorName", newValue) }
  }
  public var tags: [String] {
    get { texts("tags") }
    set { set("tags", newValue) }
  }
  /// The feeds' slugs, in editorial order.
  public var feeds: [String] {
    get { texts("feeds") }
    set { set("feeds", newValue) }
  }
}
