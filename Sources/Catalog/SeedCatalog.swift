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

/// A category of feeds, as declared in the seeds.
public struct SeedCategory: Sendable, Hashable {
  public var slug: String
  /// The record name, which ties the entry to one record even if its slug changes.
  public var recordName: String?
  public var name: String
  /// An SF Symbol's name.
  public var icon: String
  /// `#RRGGBB`.
  public var color: String
  /// Categories are listed in ascending order.
  public var sortOrder: Int64
  /// The slug of the category this one belongs under.
  public var parentCategory: String?
  public var description: String?

  public init(
    slug: String, name: String, icon: String = SeedFieldDefaults.categoryIcon,
    color: String = SeedFieldDefaults.categoryColor, sortOrder: Int64 = SeedFieldDefaults.categorySortOrder,
    parentCategory: String? = nil, description: String? = nil
  ) {
    self.slug = slug
    self.name = name
    self.icon = icon
    self.color = color
    self.sortOrder = sortOrder
    self.parentCategory = parentCategory
    self.description = description
  }
}

/// A feed of the catalog, as declared in the seeds.
public struct SeedFeed: Sendable, Hashable {
  /// The name by which other seeds refer to the feed. Not stored in the container.
  public var slug: String
  /// The record name, which ties the feed to one record even if its URL changes. Without it, the record is found by
  /// the URL.
  public var recordName: String?
  public var title: String
  /// As declared; compare with ``WebAddress/normalized(_:)``.
  public var feedURL: String
  public var siteURL: String?
  public var subtitle: String?
  public var imageURL: String?
  /// The category's slug.
  public var category: String
  /// ISO 639-1, lower case.
  public var language: String
  public var tags: [String]
  public var isFeatured: Bool
  public var isVerified: Bool
  /// Whether the feed has ended or was replaced: apps then only show it to its subscribers.
  public var isRetired = false
  /// The slug of the feed that took its place.
  public var replacedBy: String?
  /// Slugs of feeds with similar addresses that an editor has compared with this one. It is not stored in the
  /// container.
  public var differentFrom: [String] = []

  public init(
    slug: String, recordName: String? = nil, title: String, feedURL: String, siteURL: String? = nil,
    subtitle: String? = nil, imageURL: String? = nil, category: String,
    language: String = SeedFieldDefaults.language, tags: [String] = [], isFeatured: Bool = false,
    isVerified: Bool = false
  ) {
    self.slug = slug
    self.recordName = recordName
    self.title = title
    self.feedURL = feedURL
    self.siteURL = siteURL
    self.subtitle = subtitle
    self.imageURL = imageURL
    self.category = category
    self.language = language
    self.tags = tags
    self.isFeatured = isFeatured
    self.isVerified = isVerified
  }
}

/// An ordered list of feeds, as declared in the seeds.
public struct SeedCollection: Sendable, Hashable {
  public var slug: String
  /// The record name, which ties the entry to one record even if its slug changes.
  public var recordName: String?
  public var title: String
  public var description: String?
  public var coverImageURL: String?
  public var curatorName: String?
  /// The feeds' slugs, in editorial order.
  public var feeds: [String]
  public var tags: [String]
  public var isFeatured: Bool

  public init(
    slug: String, title: String, description: String? = nil, coverImageURL: String? = nil,
    curatorName: String? = nil, feeds: [String], tags: [String] = [], isFeatured: Bool = false
  ) {
    self.slug = slug
    self.title = title
    self.description = description
    self.coverImageURL = coverImageURL
    self.curatorName = curatorName
    self.feeds = feeds
    self.tags = tags
    self.isFeatured = isFeatured
  }
}

/// The default values of fields that a seed leaves out (Documentation/reference/catalog.md#defaults).
///
/// Seeding writes the defaults to the records, so that apps can filter and sort by the fields. Removing a field
/// from a seed therefore restores its default.
public enum SeedFieldDefaults {
  public static let categoryColor = "#007AFF"
  /// An SF Symbol.
  public static let categoryIcon = "newspaper"
  public static let categorySortOrder: Int64 = 0
  /// ISO 639-1.
  public static let language = "en"
}
