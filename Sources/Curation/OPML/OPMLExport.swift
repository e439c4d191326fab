public import Catalog
public import Diagnostics

/// Feeds of a catalog as OPML 2.0.
///
/// Equal catalogs have equal text: there is no date unless one is given. What OPML has no attribute for is in the
/// namespace `celestra`, so that an import gives the same entries back.
public struct OPMLExport: Sendable {
  private let title: String
  private let date: String?
  private var folders: [(name: String?, feeds: [SeedFeed])]

  /// - Parameters:
  ///   - category: only the feeds of this category.
  ///   - collection: only the feeds of this collection, in its order and without folders.
  ///   - date: in the form of RFC 822.
  /// - Throws: ``CommandFailure`` when there is no such category or collection.
  public init(
    _ catalog: SeedCatalog, category: String? = nil, collection: String? = nil, date: String? = nil
  ) throws(CommandFailure) {
    self.date = date
    if let collection {
      guard let found = catalog.collections.first(where: { $0.slug == collection }) else {
        throw .unknown("collection", collection, among: catalog.collections.map(\.slug))
      }
      let feeds = Dictionary(catalog.feeds.map { ($0.slug, $0) }, uniquingKeysWith: { first, _ in first })
      title = found.title
      folders = [
        (nil, found.feeds.compactMap { feeds[$0] }.filter { category == nil || $0.category == category })
      ]
      return
    }
    if let category, !catalog.categories.contains(where: { $0.slug == category }) {
      throw .unknown("category", category, among: catalog.categories.map(\.slug))
    }
    let categories = catalog.categories.filter { category == nil || $0.slug == category }
      .sorted { ($0.sortOrder, $0.name) < ($1.sortOrder, $1.name) }
    let byCategory = Dictionary(grouping: catalog.feeds, by: \.category)
    title = category == nil ? "Celestra feeds" : categories.first?.name ?? "Celestra feeds"
    folders = categories.compactMap { category in
      let feeds = byCategory[category.slug] ?? []
      return feeds.isEmpty
        ? nil : (category.name, feeds.sorted { ($0.title, $0.feedURL) < ($1.title, $1.feedURL) })
    }
  }

  /// The document; ends with a line end.
  public var text: String {
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<opml version=\"2.0\" xmlns:celestra=\"https://celestra.app/opml\">", "  <head>",
      "    <title>\(Self.escaped(title))</title>",
    ]
    if let date { lines.append("    <dateCreated>\(Self.escaped(date))</dateCreated>") }
    lines += ["  </head>", "  <body>"]
    for (name, feeds) in folders {
      let indent = name == nil ? "    " : "      "
      if let name { lines.append("    <outline text=\"\(Self.escaped(Self.asHTML(name)))\">") }
      lines += feeds.map { indent + Self.outline($0) }
      if name != nil { lines.append("    </outline>") }
    }
    return (lines + ["  </body>", "</opml>", ""]).joined(separator: "\n")
  }

  private static func outline(_ feed: SeedFeed) -> String {
    var attributes: [(String, String?)] = [
      ("type", "rss"), ("text", asHTML(feed.title)), ("title", asHTML(feed.title)), ("xmlUrl", feed.feedURL),
      ("htmlUrl", feed.siteURL), ("description", feed.subtitle.map(asHTML)), ("language", feed.language),
    ]
    if !feed.tags.isEmpty { attributes.append(("category", feed.tags.joined(separator: ","))) }
    // In `category`, a slash separates the parts of a path.
    if feed.tags.contains(where: { $0.contains("/") }) {
      attributes.append(("celestra:tags", feed.tags.joined(separator: ",")))
    }
    attributes += [
      ("celestra:slug", feed.slug), ("celestra:recordName", feed.recordName),
      ("celestra:imageURL", feed.imageURL),
      ("celestra:isFeatured", feed.isFeatured ? "true" : nil),
      ("celestra:isVerified", feed.isVerified ? "true" : nil),
    ]
    let text = attributes.compactMap { name, value in value.map { " \(name)=\"\(escaped($0))\"" } }.joined()
    return "<outline\(text)/>"
  }

  /// OPML's texts may hold encoded HTML: a text that looks like it has to be encoded to stay what it is.
  private static func asHTML(_ text: String) -> String {
    guard text.contains("<") || text.contains(/&[#\w]+;/) else { return text }
    return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n", "\t", "\r": escaped += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: break
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension CommandFailure {
  static func unknown(_ kind: String, _ slug: String, among known: [String]) -> CommandFailure {
    CommandFailure(
      "there is no \(kind) '\(slug)'", code: "unknown-\(kind)",
      hint: SpellingSuggestion.nearest(to: slug, among: known).map { "Did you mean '\($0)'?" })
  }
}
