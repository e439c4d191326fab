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

/// The project's seeds, embedded in the binary from the files of `seeds/` (through the links in `Resources/seeds`).
enum BundledSeeds {
  /// By their paths below a seed folder.
  static let files: [String: [UInt8]] = [
    "categories.json": PackageResources.categories_json,
    "collections/apple-developer.json": PackageResources.apple_developer_json,
    "collections/best-of-tech.json": PackageResources.best_of_tech_json,
    "collections/design-inspiration.json": PackageResources.design_inspiration_json,
    "collections/morning-news.json": PackageResources.morning_news_json,
    "collections/wonders-of-science.json": PackageResources.wonders_of_science_json,
    "feeds/business.json": PackageResources.business_json,
    "feeds/design.json": PackageResources.design_json,
    "feeds/entertainment.json": PackageResources.entertainment_json,
    "feeds/general.json": PackageResources.general_json,
    "feeds/health.json": PackageResources.health_json,
    "feeds/news.json": PackageResources.news_json,
    "feeds/science.json": PackageResources.science_json,
    "feeds/technology.json": PackageResources.technology_json,
  ]

  /// The JSON Schemas that these name, by their paths.
  static let schemas: [String: [UInt8]] = [
    "schemas/aggregates.schema.json": PackageResources.aggregates_schema_json,
    "schemas/categories.schema.json": PackageResources.categories_schema_json,
    "schemas/collection.schema.json": PackageResources.collection_schema_json,
    "schemas/feeds.schema.json": PackageResources.feeds_schema_json,
    "schemas/moderation.schema.json": PackageResources.moderation_schema_json,
  ]
}
