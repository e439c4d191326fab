internal import Catalog
internal import Diagnostics
internal import FoundationEssentials

/// The project's seeds with their feed URLs replaced by loopback URLs. Record names stay the same.
struct DemoSeeds {
  private let project: String
  private let catalog: SeedCatalog

  init(project: String) throws {
    self.project = project
    catalog = try SeedCatalog.loaded(from: "\(project)/seeds").0
  }

  var slugs: [String] { catalog.feeds.map(\.slug) }

  /// Writes the seeds to `folder/seeds`; `url` returns the URL for a feed's slug. The folders are created: through
  /// a copied link, the demo would overwrite the original files.
  func write(to folder: String, url: (String) -> String) throws {
    let files = FileManager.default
    let (source, target) = ("\(project)/seeds", "\(folder)/seeds")
    if files.fileExists(atPath: target) { try files.removeItem(atPath: target) }
    try files.createDirectory(atPath: "\(target)/feeds", withIntermediateDirectories: true)
    for name in try files.contentsOfDirectory(atPath: source) where name != "feeds" {
      try files.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
    }
    let names = Dictionary(
      uniqueKeysWithValues: catalog.feeds.map { ($0.slug, CatalogRecordNames.feed(url: $0.feedURL)) })
    for file in try files.contentsOfDirectory(atPath: "\(source)/feeds") {
      let content = try Data(contentsOf: URL(filePath: "\(source)/feeds/\(file)"))
      var document = try JSONValue(parsing: Array(content)).object ?? [:]
      document["feeds"] = .array((document["feeds"]?.array ?? []).map { moved($0, names, url) })
      try Data(JSONValue.object(document).bytes(.pretty)).write(to: URL(filePath: "\(target)/feeds/\(file)"))
    }
  }

  private func moved(_ feed: JSONValue, _ names: [String: String], _ url: (String) -> String) -> JSONValue {
    guard case .object(var object) = feed, let slug = feed["slug"]?.string else { return feed }
    object["recordName"] = object["recordName"] ?? names[slug].map(JSONValue.string)
    object["feedURL"] = .string(url(slug))
    return .object(object)
  }
}
