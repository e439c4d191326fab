internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials

/// The folder in which the demo runs.
struct DemoWorkspace {
  /// The path of the checkout with `schema/` and `seeds/`.
  let project: String
  let folder: String
  private let isTemporary: Bool
  private let home: String
  let process: ProcessContext

  init(directory: String?, process: ProcessContext) throws {
    self.process = process
    home = FileManager.default.currentDirectoryPath
    project = try DemoWorkspace.findProject(from: [home, DemoWorkspace.executableFolder])
    isTemporary = directory == nil
    let chosen =
      directory ?? FileManager.default.temporaryDirectory.appending(path: "celestra-demo-\(UUID())").path
    folder = try DemoWorkspace.naming(chosen) { [project] in try DemoWorkspace.prepare(chosen, project) }
  }

  /// Prepares the folder and changes the working directory to it. Returns its absolute path.
  private static func prepare(_ chosen: String, _ project: String) throws -> String {
    let files = FileManager.default
    try files.createDirectory(atPath: chosen, withIntermediateDirectories: true)
    try claim(chosen)
    guard files.changeCurrentDirectoryPath(chosen) else {
      throw CommandFailure("cannot enter \(chosen)", code: "unreadable-file")
    }
    let folder = files.currentDirectoryPath
    try files.copyReplacing("\(project)/schema/celestra.ckdb", with: "\(folder)/celestra.ckdb")
    try files.removeIfThere("\(folder)/.celestra")
    try Data(settings.utf8).write(to: URL(filePath: "\(folder)/celestra-admin.json"))
    return folder
  }

  /// The project file of the folder. Raises the limit for slow feeds, because loopback feeds are only slow on a
  /// busy machine, and keeps the settings of other projects from applying.
  private static let settings = #"{"health": {"slowAnswer": "60s"}}"# + "\n"

  /// Runs code that reads and writes the demo's folder, and adds the folder to system errors.
  static func naming<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as CommandFailure { throw failure } catch {
      throw CommandFailure(
        "the demo cannot use the folder \(folder): \(CommandFailure(error).message)",
        code: "unwritable-folder",
        hint: "With --directory give a folder that may be written to, on a disk with some space.")
    }
  }

  /// Throws if the folder has files that are not from a demo, because the demo replaces the folder's content.
  private static func claim(_ folder: String) throws {
    let mark = "\(folder)/.celestra-demo"
    guard !FileManager.default.fileExists(atPath: mark) else { return }
    guard try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty else {
      throw CommandFailure.usage(
        "\(folder) holds other files, which the demo would replace", hint: "Give a new or an empty folder.")
    }
    try Data().write(to: URL(filePath: mark))
  }

  /// Restores the working directory and removes a temporary folder.
  func leave() {
    _ = FileManager.default.changeCurrentDirectoryPath(home)
    // Ignore errors: the system cleans up its temporary folder.
    if isTemporary { try? FileManager.default.removeItem(atPath: folder) }
  }

  private static var executableFolder: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
  }

  private static func findProject(from places: [String]) throws -> String {
    for place in places {
      var folder = URL(filePath: place).standardizedFileURL
      while folder.path != "/" {
        if FileManager.default.fileExists(atPath: folder.appending(path: "seeds/categories.json").path) {
          return folder.path
        }
        folder.deleteLastPathComponent()
      }
    }
    throw CommandFailure("the demo needs the project's schema/ and seeds/", hint: "Run it inside a checkout.")
  }
}

extension FileManager {
  fileprivate func removeIfThere(_ path: String) throws {
    if fileExists(atPath: path) { try removeItem(atPath: path) }
  }

  fileprivate func copyReplacing(_ source: String, with target: String) throws {
    try removeIfThere(target)
    try copyItem(atPath: source, toPath: target)
  }
}

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
