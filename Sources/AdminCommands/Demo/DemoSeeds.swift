internal import Catalog
internal import Diagnostics
internal import FoundationEssentials

/// The bundled seeds with their feed URLs replaced by loopback URLs. Record names stay the same.
struct DemoSeeds {
  private let catalog: SeedCatalog

  init() throws {
    catalog = try SeedLoader(files: BundledSeeds.files, named: "the bundled seeds").load().usableCatalog()
  }

  var slugs: [String] { catalog.feeds.map(\.slug) }

  /// Writes the seeds to `folder/seeds`; `url` returns the URL for a feed's slug.
  func write(to folder: String, url: (String) -> String) throws {
    let names = Dictionary(
      uniqueKeysWithValues: catalog.feeds.map { ($0.slug, CatalogRecordNames.feed(url: $0.feedURL)) })
    for (path, bytes) in BundledSeeds.files {
      let file = URL(filePath: "\(folder)/seeds/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      var document = try JSONValue(parsing: bytes).object ?? [:]
      if let feeds = document["feeds"]?.array, path.hasPrefix("feeds/") {
        document["feeds"] = .array(feeds.map { moved($0, names, url) })
      }
      try Data(JSONValue.object(document).bytes(.pretty)).write(to: file)
    }
  }

  private func moved(_ feed: JSONValue, _ names: [String: String], _ url: (String) -> String) -> JSONValue {
    guard case .object(var object) = feed, let slug = feed["slug"]?.string else { return feed }
    object["recordName"] = object["recordName"] ?? names[slug].map(JSONValue.string)
    object["feedURL"] = .string(url(slug))
    return .object(object)
  }
}
