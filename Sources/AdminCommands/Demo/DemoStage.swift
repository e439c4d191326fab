internal import FoundationEssentials

/// Where the demo plays: a folder of its own, with the project's schema in reach.
struct DemoStage {
  /// The checkout that holds `schema/` and `seeds/`.
  let project: String
  let folder: String
  private let isTemporary: Bool
  private let home: String
  let world: World

  init(directory: String?, world: World) throws {
    self.world = world
    home = FileManager.default.currentDirectoryPath
    project = try DemoStage.findProject(from: [home, DemoStage.executableFolder])
    isTemporary = directory == nil
    let chosen =
      directory ?? FileManager.default.temporaryDirectory.appending(path: "celestra-demo-\(UUID())").path
    try FileManager.default.createDirectory(atPath: chosen, withIntermediateDirectories: true)
    try DemoStage.claim(chosen)
    guard FileManager.default.changeCurrentDirectoryPath(chosen) else {
      throw CommandFailure("cannot enter \(chosen)", code: "unreadable-file")
    }
    folder = FileManager.default.currentDirectoryPath
    try FileManager.default.copyReplacing("\(project)/schema/celestra.ckdb", with: "\(folder)/celestra.ckdb")
    try FileManager.default.removeIfThere("\(folder)/.celestra")
  }

  /// The demo clears away what an earlier one left, so it plays only where there was nothing, or a demo.
  private static func claim(_ folder: String) throws {
    let mark = "\(folder)/.celestra-demo"
    guard !FileManager.default.fileExists(atPath: mark) else { return }
    guard try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty else {
      throw CommandFailure.usage(
        "\(folder) holds other files, which the demo would replace", hint: "Give a new or an empty folder.")
    }
    try Data().write(to: URL(filePath: mark))
  }

  /// Goes back home and takes a temporary folder away.
  func leave() {
    _ = FileManager.default.changeCurrentDirectoryPath(home)
    // A folder that stays behind in the system's temporary place does no harm.
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
