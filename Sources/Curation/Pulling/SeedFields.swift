internal import Catalog
internal import Diagnostics

/// The editor-owned fields of one entry as seed values. A field with its default is left out, so that a value and its
/// absence compare equal where they mean the same.
struct SeedFields: Equatable {
  private(set) var values: [String: JSONValue] = [:]

  subscript(field: String) -> JSONValue? {
    get { values[field] }
    set { values[field] = newValue }
  }

  private init(_ values: [(String, JSONValue?)]) {
    for (field, value) in values { self.values[field] = value }
  }
}

extension SeedFields {
  init(_ category: FeedCategory) {
    self.init([
      ("name", .string(category.name)), ("icon", category.icon.unless(CatalogDefaults.categoryIcon)),
      ("color", category.color.unless(CatalogDefaults.categoryColor)),
      (
        "sortOrder",
        category.sortOrder == CatalogDefaults.categorySortOrder ? nil : .integer(category.sortOrder)
      ),
      ("parentCategory", category.parentCategory.map(JSONValue.string)),
      ("description", category.description.map(JSONValue.string)),
    ])
  }

  /// A retired feed is not featured, whatever its entry says.
  init(_ feed: PublicFeed) {
    self.init([
      ("feedURL", .string(feed.feedURL)), ("title", .string(feed.title)),
      ("siteURL", feed.siteURL.map(JSONValue.string)),
      ("subtitle", feed.subtitle.map(JSONValue.string)), ("imageURL", feed.imageURL.map(JSONValue.string)),
      ("category", .string(feed.category)), ("language", feed.language.unless(CatalogDefaults.language)),
      ("tags", feed.tags.isEmpty ? nil : .array(feed.tags.map(JSONValue.string))),
      ("isFeatured", feed.isFeatured && !feed.isRetired ? true : nil),
      ("isVerified", feed.isVerified ? true : nil),
      ("retired", feed.isRetired ? true : nil), ("replacedBy", feed.replacedBy.map(JSONValue.string)),
    ])
  }

  init(_ collection: FeedCollection) {
    self.init([
      ("title", .string(collection.title)), ("description", collection.description.map(JSONValue.string)),
      ("coverImageURL", collection.coverImageURL.map(JSONValue.string)),
      ("curatorName", collection.curatorName.map(JSONValue.string)),
      ("isFeatured", collection.isFeatured ? true : nil),
      ("tags", collection.tags.isEmpty ? nil : .array(collection.tags.map(JSONValue.string))),
      ("feeds", .array(collection.feeds.map(JSONValue.string))),
    ])
  }
}

extension String {
  fileprivate func unless(_ usual: String) -> JSONValue? { self == usual ? nil : .string(self) }
}
