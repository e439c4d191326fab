package import CloudKitModel
package import Diagnostics

/// The catalog that a seed directory declares, checked: all slugs in it resolve.
package struct SeedCatalog: Sendable, Equatable {
  package var categories: [SeedCategory]
  package var feeds: [SeedFeed]
  package var collections: [SeedCollection]
  /// False for a seed directory without `feeds/`: that it declares no feeds may be a mistake.
  package var hasFeedsFolder = true

  package init(
    categories: [SeedCategory] = [], feeds: [SeedFeed] = [], collections: [SeedCollection] = []
  ) {
    self.categories = categories
    self.feeds = feeds
    self.collections = collections
  }

  /// The entries of a kind, in declared order.
  package func entries(_ kind: SeedKind) -> [any SeedEntry] {
    switch kind {
    case .category: categories
    case .feed: feeds
    case .collection: collections
    }
  }

  package var allEntries: [any SeedEntry] { SeedKind.allCases.flatMap(entries) }

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

  /// What an edit of a record means for its seed, in one sentence; `nil` when no seed declares the record, or no field that
  /// editors own. A slug that is set is the record's identity, not a value that the seed has otherwise.
  ///
  /// - Parameter values: by field; `nil` for one that is emptied.
  package func driftWarning(of record: Record, setting values: [String: FieldValue?]) -> String? {
    let names = SeedRecordNames(of: self, in: ExistingCatalogRecords([record]))
    guard let kind = SeedKind(recordType: record.recordType),
      let seed = entries(kind).first(where: { names[kind, $0.slug] == record.recordName })
    else { return nil }
    let owned = SeedFields.celestra[kind].compactMap { field -> String? in
      guard let name = field.recordField, name != "slug", let value = values[name] else { return nil }
      // Emptied in the record, and empty in the seed.
      return value == nil && seed.values.published(field) == nil ? nil : name
    }.sorted()
    guard !owned.isEmpty else { return nil }
    return
      "The seed '\(seed.slug)' decides \(owned.joined(separator: ", ")): the next 'seed apply' writes its values back. "
      + "Change the seed too, or run 'celestra-admin seed pull'."
  }
}

package struct SeedCategory: SeedEntry {
  package static let kind = SeedKind.category
  package var values: SeedValues

  package init(_ values: SeedValues) { self.values = values }

  package init(slug: String, name: String, parentCategory: String? = nil) {
    values = SeedValues([
      "slug": slug.json, "name": name.json, "parentCategory": parentCategory?.json,
    ])
  }

  package var name: String { text("name") ?? "" }
  /// Categories are listed in ascending order.
  package var sortOrder: Int64 { values["sortOrder"]?.integer ?? 0 }
  /// The slug of the category this one belongs under.
  package var parentCategory: String? { text("parentCategory") }
}

package struct SeedFeed: SeedEntry {
  package static let kind = SeedKind.feed
  package var values: SeedValues

  package init(_ values: SeedValues) { self.values = values }

  package init(
    slug: String, recordName: String? = nil, title: String, feedURL: String, siteURL: String? = nil,
    category: String? = nil
  ) {
    values = SeedValues([
      "slug": slug.json, "recordName": recordName?.json, "title": title.json, "feedURL": feedURL.json,
      "siteURL": siteURL?.json, "category": category?.json,
    ])
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
  package var isVerified: Bool { values["isVerified"] == true }
  /// Whether the feed has ended or was replaced: apps then only show it to its subscribers.
  package var isRetired: Bool { values["retired"] == true }
  /// The slug of the feed that took its place.
  package var replacedBy: String? { text("replacedBy") }
  /// Slugs of feeds with a similar address or the same title that an editor has compared with this one.
  package var differentFrom: [String] { texts("differentFrom") }

  package func isDeclaredDifferent(from other: SeedFeed) -> Bool {
    differentFrom.contains(other.slug) || other.differentFrom.contains(slug)
  }
}

package struct SeedCollection: SeedEntry {
  package static let kind = SeedKind.collection
  package var values: SeedValues

  package init(_ values: SeedValues) { self.values = values }

  package init(slug: String, title: String, feeds: [String]) {
    values = SeedValues([
      "slug": slug.json, "title": title.json, "feeds": feeds.json,
    ])
  }

  package var title: String { text("title") ?? "" }
  /// The feeds' slugs, in editorial order.
  package var feeds: [String] {
    get { texts("feeds") }
    set { set("feeds", newValue) }
  }
}

/// The values of a seed entry by their keys, in the form of the seed files. ``SeedFields`` says what each key holds.
package struct SeedValues: Sendable, Equatable {
  /// Their order does not count. With so few keys, a list is faster than a dictionary.
  private var members: JSONObject

  package init(_ object: JSONObject = [:]) { members = object }

  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.members.members.count == rhs.members.members.count
      && lhs.members.members.allSatisfy { rhs[$0.key] == $0.value }
  }

  /// `nil` for a key that is left out.
  package subscript(key: String) -> JSONValue? {
    get { members[key] }
    set { members[key] = newValue }
  }

  /// The value that the record gets: what is left out has its default, and a retired feed is not featured, so that
  /// apps that do not know `isRetired` stop featuring it.
  package func published(_ field: SeedField) -> JSONValue? {
    if field.key == "isFeatured", members["retired"] == true { return false }
    return members[field.key] ?? field.usual
  }

  /// The entry for a seed file, in the order of the table.
  package func json(of kind: SeedKind) -> JSONObject {
    JSONObject(SeedFields.celestra[kind].compactMap { field in members[field.key].map { (field.key, $0) } })
  }
}

package protocol SeedEntry: Sendable, Equatable {
  static var kind: SeedKind { get }
  var values: SeedValues { get set }
  init(_ values: SeedValues)
}

extension SeedEntry {
  /// The name by which other seeds refer to the entry.
  package var slug: String {
    get { text("slug") ?? "" }
    set { set("slug", newValue) }
  }

  /// The record name, which ties the entry to one record even if its slug or its URL changes.
  package var recordName: String? {
    get { text("recordName") }
    set { set("recordName", newValue) }
  }

  package var key: String { Self.kind.key(slug) }

  /// The name of the entry's record, as far as the files say it.
  package var expectedRecordName: String { recordName ?? Self.kind.derivedRecordName(slug: slug, values) }

  func text(_ key: String) -> String? { values[key]?.string }
  func texts(_ key: String) -> [String] { values[key]?.strings ?? [] }

  mutating func set(_ key: String, _ text: String?) { values[key] = text.map(JSONValue.string) }
  mutating func set(_ key: String, _ texts: [String]) { values[key] = .array(texts.map(JSONValue.string)) }
}

extension SeedKind {
  /// The name of an entry's record unless the entry has a `recordName`.
  package func derivedRecordName(slug: String, _ values: SeedValues) -> String {
    switch self {
    case .category: slug
    case .feed: CatalogRecordNames.feed(url: values["feedURL"]?.string ?? "")
    case .collection: CatalogRecordNames.collection(slug: slug)
    }
  }
}

extension Sequence where Element: SeedEntry {
  /// The slugs by a property of the entries; the first in the alphabet where several have it.
  package func slugs(by key: (Element) -> String?) -> [String: String] {
    Dictionary(compactMap { entry in key(entry).map { ($0, entry.slug) } }, uniquingKeysWith: Swift.min)
  }
}

extension JSONValue {
  package var strings: [String] { array?.compactMap(\.string) ?? [] }
}
