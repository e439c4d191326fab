public import Catalog
public import CloudKitModel
public import Diagnostics

/// The seeds as OPML or as one JSON document.
public struct SeedExportReport: Report {
  private let opml: OPMLExport
  private let catalog: SeedCatalog
  public let notes: [Diagnostic]

  /// - Parameter date: the moment to write into the file, if any.
  /// - Throws: ``CommandFailure`` when there is no such category or collection.
  public init(
    _ catalog: SeedCatalog, category: String?, collection: String?, date: Timestamp?, notes: [Diagnostic]
  ) throws(CommandFailure) {
    opml = try OPMLExport(catalog, category: category, collection: collection, date: date?.rfc822)
    let members = collection.flatMap { slug in catalog.collections.first { $0.slug == slug }?.feeds }.map(
      Set.init)
    var part = catalog
    part.feeds.removeAll { feed in
      (category.map { $0 != feed.category } ?? false) || (members.map { !$0.contains(feed.slug) } ?? false)
    }
    part.collections.removeAll { collection != nil ? $0.slug != collection : category != nil }
    part.categories.removeAll { item in
      category.map { $0 != item.slug }
        ?? (collection != nil && !part.feeds.contains { $0.category == item.slug })
    }
    self.catalog = part
    self.notes = notes
  }

  public var json: JSONValue { catalog.json }
  public func text(_ style: TerminalStyle) -> PrintableText { PrintableText(document: opml.text) }
}

extension SeedCatalog {
  /// All entries as the seed files have them, each feed with its category.
  var json: JSONValue {
    [
      "categories": .array(categories.map { .object($0.seedJSON) }),
      "feeds": .array(feeds.map { .object($0.seedJSON) }),
      "collections": .array(collections.map { .object($0.seedJSON) }),
    ]
  }
}

extension Timestamp {
  /// `Sun, 22 Nov 2026 10:00:00 GMT` (RFC 822, with the four-digit year of RFC 1123).
  var rfc822: String {
    let text = iso8601
    let day = Int((milliseconds < 0 ? milliseconds - 86_399_999 : milliseconds) / 86_400_000)
    let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = text.split { $0 == "-" || $0 == "T" || $0 == "." || $0 == "Z" }.map(String.init)
    let month = Int(parts[1]).map { months[$0 - 1] } ?? ""
    return "\(names[((day % 7) + 7) % 7]), \(parts[2]) \(month) \(parts[0]) \(parts[3]) GMT"
  }
}
