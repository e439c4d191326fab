import Diagnostics

// One function for each kind of seed converts a JSON object to a value and reports findings. An invalid required
// value becomes ""; its finding is an error, so the catalog is not used.

extension JSONObjectReader {
  init(_ node: JSONNode, in source: SourceText, kind: SeedKind) {
    self.init(node, in: source, phrase: kind.phrase)
    checkKeys(SeedKind.keys[kind] ?? [], computedIn: kind.recordType)
  }

  mutating func category() -> SeedCategory {
    check("icon", .badIcon, SeedValueRules.icon)
    check("color", .badColor, SeedValueRules.color)
    check("recordName", .badRecordName, SeedValueRules.recordName)
    var category = SeedCategory(
      slug: slug() ?? "", name: requiredText("name") ?? "",
      icon: text("icon") ?? SeedFieldDefaults.categoryIcon,
      color: text("color") ?? SeedFieldDefaults.categoryColor,
      sortOrder: integer("sortOrder") ?? SeedFieldDefaults.categorySortOrder,
      parentCategory: text("parentCategory"), description: text("description"))
    category.recordName = text("recordName")
    return category
  }

  /// `fileCategory` is the category the file gives to feeds that name none.
  mutating func feed(fileCategory: String?) -> SeedFeed {
    check("recordName", .badRecordName, SeedValueRules.recordName)
    let title = requiredText("title") ?? ""
    var feed = SeedFeed(
      slug: feedSlug(title: title) ?? "", recordName: text("recordName"), title: title,
      feedURL: url("feedURL", required: true) ?? "", siteURL: url("siteURL"), subtitle: text("subtitle"),
      imageURL: url("imageURL"),
      category: (fileCategory == nil ? requiredText("category") : text("category") ?? fileCategory) ?? "",
      language: language("language") ?? SeedFieldDefaults.language, tags: tags("tags"),
      isFeatured: flag("isFeatured") ?? false, isVerified: flag("isVerified") ?? false)
    feed.replacedBy = text("replacedBy")
    feed.isRetired = flag("retired") ?? (feed.replacedBy != nil)
    feed.differentFrom = texts("differentFrom").map(\.text)
    return feed
  }

  private mutating func feedSlug(title: String) -> String? {
    if has("slug") { return slug() }
    if let slug = Slug.derived(fromTitle: title) { return slug }
    if !title.isEmpty, let node = node["title"] {
      let suggested = Slug.suggested(forTitle: title, url: "", taken: [])
      report(
        .badSlug, "no slug can be derived from the title '\(title)'", at: node,
        help: suggested.isReadable
          ? "Add one, such as \"slug\": \"\(suggested.slug)\"."
          : "Add a \"slug\" of lower-case ASCII letters, digits and hyphens.")
    }
    return nil
  }

  mutating func collection() -> SeedCollection {
    let slug = slug() ?? ""
    let title = requiredText("title") ?? ""
    let feeds = texts("feeds", required: true).map(\.text)
    if let list = node["feeds"], list.elements?.isEmpty == true {
      report(.emptyCollection, "the collection '\(title)' has no feeds", at: list)
    }
    check("recordName", .badRecordName, SeedValueRules.recordName)
    var collection = SeedCollection(
      slug: slug, title: title, description: text("description"), coverImageURL: url("coverImageURL"),
      curatorName: text("curatorName"), feeds: feeds, tags: tags("tags"),
      isFeatured: flag("isFeatured") ?? false)
    collection.recordName = text("recordName")
    return collection
  }
}

/// The kinds of seeds: categories, feeds and collections, with their keys.
enum SeedKind: String {
  case category, feed, collection

  var recordType: String {
    switch self {
    case .category: CatalogRecordType.feedCategory
    case .feed: CatalogRecordType.publicFeed
    case .collection: CatalogRecordType.feedCollection
    }
  }

  /// With its article, for a message.
  var phrase: String { "a \(rawValue)" }

  /// The keys of editorial fields, and keys that only exist in seed files.
  static let keys: [SeedKind: Set<String>] = [
    .category: editorialFields(.category).union(["recordName"]),
    .feed: editorialFields(.feed).subtracting(["isRetired"])
      .union(["slug", "recordName", "retired", "differentFrom"]),
    .collection: editorialFields(.collection).union(["slug", "recordName"]),
  ]

  /// Keys of fields that have another name in the container.
  static let keysOfFields = ["isRetired": "retired"]

  private static func editorialFields(_ kind: SeedKind) -> Set<String> {
    Set(FieldOwnership.fields(of: kind.recordType, ownedBy: .editorial))
  }
}
