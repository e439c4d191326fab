package import Catalog
package import CloudKitModel
package import Diagnostics
internal import Platform

/// Feeds of a catalog as OPML 2.0.
///
/// Equal catalogs have equal text: there is no date unless one is given. What OPML has no attribute for is in the
/// namespace `celestra`, so that an import gives the same entries back.
package struct OPMLExport: Sendable {
  private let title: String
  private let date: String?
  private let folders: [Folder]

  private struct Folder {
    /// `nil` for feeds without a folder.
    var name: String?
    /// The category's slug.
    var category: String?
    /// For a collection, whose feeds are also in their categories.
    var collection: SeedCollection?
    var feeds: [SeedFeed]
  }

  /// - Parameters:
  ///   - collection: only the feeds of this collection, in its order and without folders.
  ///   - date: in the form of RFC 822.
  /// - Throws: ``CommandFailure`` when there is no such category or collection.
  package init(
    _ catalog: SeedCatalog, category: String? = nil, collection: String? = nil, date: String? = nil
  ) throws(CommandFailure) {
    self.date = date
    if let collection {
      guard let found = catalog.collections.first(where: { $0.slug == collection }) else {
        throw .unknown("collection", collection, among: catalog.collections.map(\.slug))
      }
      let feeds = catalog.feeds.keyed(by: \.slug)
      title = found.title
      folders = [
        Folder(
          feeds: found.feeds.compactMap { feeds[$0] }.filter { category == nil || $0.category == category })
      ]
      return
    }
    try catalog.requireCategory(category)
    let categories = catalog.categories.filter { category == nil || $0.slug == category }
      .sorted { ($0.sortOrder, $0.name) < ($1.sortOrder, $1.name) }
    let byCategory = Dictionary(grouping: catalog.feeds, by: \.category)
    title = category == nil ? "Celestra feeds" : categories.first?.name ?? "Celestra feeds"
    let byFolder = categories.compactMap { category -> Folder? in
      let feeds = byCategory[category.slug] ?? []
      return feeds.isEmpty
        ? nil
        : Folder(
          name: category.name, category: category.slug,
          feeds: feeds.sorted { ($0.title, $0.feedURL) < ($1.title, $1.feedURL) })
    }
    let exported = byFolder.flatMap(\.feeds).keyed(by: \.slug)
    folders =
      byFolder
      + catalog.collections.sorted { $0.slug < $1.slug }.compactMap { collection in
        let feeds = collection.feeds.compactMap { exported[$0] }
        return feeds.isEmpty
          ? nil : Folder(name: collection.title, collection: collection, feeds: feeds)
      }
  }

  /// The document; ends with a line end.
  package var text: String {
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<opml version=\"2.0\" xmlns:celestra=\"https://celestra.app/opml\">", "  <head>",
      "    <title>\(title.xml)</title>",
    ]
    if let date { lines.append("    <dateCreated>\(date.xml)</dateCreated>") }
    lines += ["  </head>", "  <body>"]
    for folder in folders {
      let indent = folder.name == nil ? "    " : "      "
      if let name = folder.name {
        var own: [(String, String?)] = [("text", Self.asHTML(name))]
        own.append((OPMLVocabulary.category, folder.category))
        if let collection = folder.collection {
          own.append((OPMLVocabulary.collection, collection.slug))
          own += attributes(of: collection).map { ($0.name, $0.text) }
        }
        lines.append("    <outline\(Self.text(own))>")
      }
      lines += folder.feeds.map { indent + outline($0) }
      if folder.name != nil { lines.append("    </outline>") }
    }
    return (lines + ["  </body>", "</opml>", ""]).joined(separator: "\n")
  }

  private func outline(_ feed: SeedFeed) -> String {
    var attributes: [(String, String?)] = [
      ("type", "rss"), ("text", Self.asHTML(feed.title)), ("title", Self.asHTML(feed.title)),
      ("xmlUrl", feed.feedURL),
    ]
    let values = self.attributes(of: feed)
    attributes += values.filter(\.isStandard).map { ($0.name, $0.text) }
    if !feed.tags.isEmpty { attributes.append(("category", feed.tags.joined(separator: ","))) }
    if feed.tags.contains(where: { $0.contains("/") || FolderTagName.made(from: $0) != $0 }) {
      attributes.append((OPMLVocabulary.exactTags, feed.tags.joined(separator: ",")))
    }
    attributes += values.filter { !$0.isStandard }.map { ($0.name, $0.text) }
    return "<outline\(Self.text(attributes))/>"
  }

  private func attributes<Entry: SeedEntry>(of entry: Entry) -> [(
    name: String, text: String?, isStandard: Bool
  )] {
    SeedFields.celestra[Entry.kind].compactMap { field in
      guard let name = field.opmlName, let value = entry.values[field.key] else { return nil }
      let text = field.opml(value)
      return (name, field.form == .text ? text.map(Self.asHTML) : text, !name.hasPrefix("celestra:"))
    }
  }

  private static func text(_ attributes: [(String, String?)]) -> String {
    attributes.compactMap { name, value in value.map { " \(name)=\"\($0.xml)\"" } }.joined()
  }

  /// OPML's texts may hold encoded HTML: a text that looks like it has to be encoded to stay what it is.
  private static func asHTML(_ text: String) -> String {
    guard text.contains("<") || text.contains(/&[#\w]+;/) else { return text }
    return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  /// The text that ``asHTML(_:)`` encoded.
  static func text(ofHTML text: String) -> String {
    text.contains(/&[#\w]+;/) ? text.replacing("&lt;", with: "<").replacing("&amp;", with: "&") : text
  }
}

extension CommandFailure {
  static func unknown(_ kind: String, _ slug: String, among known: [String]) -> CommandFailure {
    let nearest = SpellingSuggestion.nearest(to: slug, among: known)
    return CommandFailure(
      "there is no \(kind) '\(slug)'", details: nearest == nil ? known.sorted() : [],
      code: "unknown-\(kind)", hint: nearest.map { "Did you mean '\($0)'?" })
  }
}

package struct SeedExportReport: Report {
  private let opml: OPMLExport
  private let catalog: SeedCatalog
  package let notes: [Diagnostic]

  /// - Parameter date: the moment to write into the file, if any.
  /// - Throws: ``CommandFailure`` when there is no such category or collection.
  package init(
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

  package var json: JSONValue { catalog.json }
  package var hasEnvelope: Bool { false }
  package var body: ReportBody { ReportBody.document(opml.text) }
}

extension SeedCatalog {
  /// All entries as the seed files have them, each feed with its category.
  var json: JSONValue {
    func list(_ kind: SeedKind) -> JSONValue {
      .array(entries(kind).map { .object($0.values.json(of: kind)) })
    }
    return ["categories": list(.category), "feeds": list(.feed), "collections": list(.collection)]
  }
}

extension Timestamp {
  /// `Sun, 22 Nov 2026 10:00:00 GMT` (RFC 822, with the four-digit year of RFC 1123).
  var rfc822: String { UTCTime.httpDate(secondsSince1970: milliseconds.floorDivided(by: 1000).quotient) }
}
