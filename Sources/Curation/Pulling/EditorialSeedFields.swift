internal import Catalog
internal import Diagnostics

/// The editor-owned fields of one entry as seed values. A field with its default is left out, so that a value and its
/// absence compare equal where they mean the same.
struct EditorialSeedFields: Equatable {
  /// In the order of the initializers below, the same for all entries of a kind.
  private let values: [(field: String, value: JSONValue)]

  subscript(field: String) -> JSONValue? { values.first { $0.field == field }?.value }

  var byField: [String: JSONValue] { Dictionary(values.map { ($0.field, $0.value) }) { first, _ in first } }

  private init(_ values: [(String, JSONValue?)]) {
    self.values = values.compactMap { field, value in value.map { (field, $0) } }
  }

  static func == (a: EditorialSeedFields, b: EditorialSeedFields) -> Bool {
    a.values.elementsEqual(b.values, by: ==)
  }
}

extension EditorialSeedFields {
  init(_ category: SeedCategory) {
    self.init([
      ("name", .string(category.name)), ("icon", category.icon.unless(SeedFieldDefaults.categoryIcon)),
      ("color", category.color.unless(SeedFieldDefaults.categoryColor)),
      (
        "sortOrder",
        category.sortOrder == SeedFieldDefaults.categorySortOrder ? nil : .integer(category.sortOrder)
      ),
      ("parentCategory", category.parentCategory.map(JSONValue.string)),
      ("description", category.description.map(JSONValue.string)),
    ])
  }

  /// A retired feed is not featured, whatever its entry says.
  init(_ feed: SeedFeed) {
    self.init([
      ("feedURL", .string(feed.feedURL)), ("title", .string(feed.title)),
      ("siteURL", feed.siteURL.map(JSONValue.string)),
      ("subtitle", feed.subtitle.map(JSONValue.string)), ("imageURL", feed.imageURL.map(JSONValue.string)),
      ("category", .string(feed.category)), ("language", feed.language.unless(SeedFieldDefaults.language)),
      ("tags", feed.tags.isEmpty ? nil : .array(feed.tags.map(JSONValue.string))),
      ("isFeatured", feed.isFeatured && !feed.isRetired ? true : nil),
      ("isVerified", feed.isVerified ? true : nil),
      ("retired", feed.isRetired ? true : nil), ("replacedBy", feed.replacedBy.map(JSONValue.string)),
    ])
  }

  init(_ collection: SeedCollection) {
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
