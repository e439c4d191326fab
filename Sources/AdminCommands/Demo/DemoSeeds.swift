internal import Catalog
internal import FoundationEssentials
internal import PositionedJSON

/// The project's seeds with every feed on loopback, under the record names the real ones have.
struct DemoSeeds {
  private let project: String
  private let catalog: SeedCatalog

  init(project: String) throws {
    self.project = project
    catalog = try SeedCatalog.loaded(from: "\(project)/seeds")
  }

  var slugs: [String] { catalog.feeds.map(\.slug) }

  /// Copies the seeds to `folder/seeds`; `url` says where a slug's feed is served.
  func write(to folder: String, url: (String) -> String) throws {
    let target = "\(folder)/seeds"
    if FileManager.default.fileExists(atPath: target) { try FileManager.default.removeItem(atPath: target) }
    try FileManager.default.copyItem(atPath: "\(project)/seeds", toPath: target)
    let names = Dictionary(
      uniqueKeysWithValues: catalog.feeds.map { ($0.slug, RecordNames.feed(url: $0.feedURL)) })
    for file in try FileManager.default.contentsOfDirectory(atPath: "\(target)/feeds") {
      let path = "\(target)/feeds/\(file)"
      var document = try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: path)))).object ?? [:]
      document["feeds"] = .array((document["feeds"]?.array ?? []).map { moved($0, names, url) })
      try Data(JSONValue.object(document).bytes(.pretty)).write(to: URL(filePath: path))
    }
  }

  private func moved(_ feed: JSONValue, _ names: [String: String], _ url: (String) -> String) -> JSONValue {
    guard case .object(var object) = feed, let slug = feed["slug"]?.string else { return feed }
    object["recordName"] = object["recordName"] ?? names[slug].map(JSONValue.string)
    object["feedURL"] = .string(url(slug))
    return .object(object)
  }
}
