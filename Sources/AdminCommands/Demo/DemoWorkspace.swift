internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials

/// Where the demo plays: a folder of its own, with the project's schema in reach.
struct DemoWorkspace {
  /// The checkout that holds `schema/` and `seeds/`.
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

  /// Makes the folder ready and goes there; gives its absolute path.
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

  /// The project file of the folder. Feeds on loopback are slow only when this machine is busy, which is no part of
  /// the story; and no other project's settings reach into it.
  private static let settings = #"{"health": {"slowAnswer": "60s"}}"# + "\n"

  /// Runs what reads and writes in the demo's folder; a failure of the system names it.
  static func naming<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as CommandFailure { throw failure } catch {
      throw CommandFailure(
        "the demo cannot play in \(folder): \(CommandFailure(error).message)", code: "unwritable-folder",
        hint: "With --directory give a folder that may be written to, on a disk with some space.")
    }
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
