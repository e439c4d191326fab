internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import DemoFeeds
internal import Diagnostics
internal import FoundationEssentials

struct DemoCommand: AdminCommand {
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run the main jobs on a scratch container: schema, seeds, health, recounts.",
    discussion: """
      Every step is a real command, printed as you would type it. The feeds are served on loopback by this process and \
      behave as feeds on the web do: some moved, some are gone, some are broken, one is slow. Of long output the first \
      lines are printed.

      The schema and the seeds are part of this binary, so that the demo runs in any folder.

      Example: celestra-admin demo --directory /tmp/demo
      """)

  @Option(
    "The demo's folder: a new or empty one, or that of an earlier demo. Default: a temporary folder.",
    value: "dir", completion: .directory)
  var directory: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<DemoCommand>

  func validate() throws {
    if common.container != nil || common.environment != nil {
      throw ValidationError("the demo uses its own container; leave out --container and --environment")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let stage = try DemoWorkspace(directory: directory, process: context.process)
    defer { stage.leave() }
    let seeds = try DemoSeeds()
    // Who keeps the folder looks at it today.
    let now = stage.isTemporary ? DemoSteps.usualTime : context.now
    let server = try await DemoFeedServer.start(
      table: DemoFeedTable(slugs: seeds.slugs), now: now.milliseconds / 1000, port: DemoFeedServer.demoPort)
    do {
      try DemoWorkspace.naming(stage.folder) { try seeds.write(to: stage.folder, url: server.url) }
      try await DemoSteps(stage: stage, color: common.color, now: now).run()
      try await server.stop()
      return PlainReport()
    } catch {
      try await server.stop()
      throw error
    }
  }
}

struct DemoWorkspace {
  let folder: String
  let isTemporary: Bool
  private let home: String
  let process: ProcessContext

  init(directory: String?, process: ProcessContext) throws {
    self.process = process
    home = FileManager.default.currentDirectoryPath
    isTemporary = directory == nil
    let chosen =
      directory ?? FileManager.default.temporaryDirectory.appending(path: "celestra-demo-\(UUID())").path
    folder = try DemoWorkspace.naming(chosen) { try DemoWorkspace.prepare(chosen) }
  }

  /// Prepares the folder and changes the working directory to it. Returns its absolute path.
  private static func prepare(_ chosen: String) throws -> String {
    let files = FileManager.default
    try files.createDirectory(atPath: chosen, withIntermediateDirectories: true)
    try claim(chosen)
    guard files.changeCurrentDirectoryPath(chosen) else {
      throw CommandFailure("cannot enter \(chosen)", code: "unreadable-file")
    }
    let folder = files.currentDirectoryPath
    for name in ["celestra.ckdb", "seeds", ".celestra"] { try files.removeIfThere("\(folder)/\(name)") }
    try Data(BundledSchema.all[0].text.utf8).write(to: URL(filePath: "\(folder)/celestra.ckdb"))
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
}

extension FileManager {
  /// Removes a link itself, also one that leads nowhere.
  fileprivate func removeIfThere(_ path: String) throws {
    do { try removeItem(atPath: path) } catch let error as CocoaError where error.code == .fileNoSuchFile {}
  }
}
