internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import LocalContainer
internal import Platform
internal import RecordChanges
internal import SystemPackage

struct ContainerHandle: Sendable {
  var container: any Container
  /// The schema operations: always available locally, and with a management token on CloudKit.
  var schema: (any SchemaManager)?
  var local: LocalContainer?
}

/// What becomes of a query that shows only the records that the key created, because it may not read the others.
enum OwnRecords {
  case refused
  /// They are what was asked for, with a note.
  case noted
  /// The command finds out by itself what it may read.
  case shown
}

extension CommandContext {
  /// Opens the command's container. Without `writing`, the handle is read-only.
  ///
  /// - Parameter canBeNew: a missing local container is treated as empty, and created by the first write.
  func openContainer(
    writing: Bool = false, canBeNew: Bool = false, environment: Environment? = nil,
    ownRecords: OwnRecords = .refused
  ) async throws -> ContainerHandle {
    if let id = try location.cloudKitID {
      return try await cloudKit(
        id, environment ?? self.environment, writing: writing, ownRecords: ownRecords)
    }
    let local = try localContainer(writing: writing, canBeNew: canBeNew, environment: environment)
    return ContainerHandle(container: local, schema: local, local: local)
  }

  /// The command's container for reading, with a counter of requests.
  func container(ownRecords: OwnRecords = .refused) async throws -> RequestCountingContainer {
    RequestCountingContainer(try await openContainer(ownRecords: ownRecords).container)
  }

  /// The command's local container. Throws a usage error for other kinds of container.
  ///
  /// - Parameter environment: `nil` for that of a mirror, or the configured one.
  func localContainer(
    writing: Bool = false, canBeNew: Bool = false, environment: Environment? = nil
  ) throws -> LocalContainer {
    let named = try location
    guard let location = named.localStore else {
      throw CommandFailure.usage("this command needs a local container, not \(named)")
    }
    if case .file(let path) = location {
      if canBeNew { try checkRoom(for: path, makingFolder: writing) }
      try checkStateFolder(of: path)
    }
    let access: LocalStore.Access =
      writing ? (canBeNew ? .readWriteOrNew : .readWrite) : (canBeNew ? .readOnlyOrEmpty : .readOnly)
    var settings = LocalContainerSettings(now: { Timestamp(process.now()) })
    settings.waits = waits
    let container = try LocalContainer.open(
      location, environment: environment ?? self.environment, access: access, settings: settings)
    warn(about: container.store)
    guard let mirror = container.store.mirror else { return container }
    let path = if case .file(let path) = location { path } else { "" }
    let read = ReadMirror(
      of: mirror.source.name, environment: mirror.source.environment.rawValue, asOf: mirror.asOf?.iso8601,
      leftOut: mirror.leftOut
    ) { mirror.advice(toCopy: $0, into: path) }
    reads(read, mirror.description)
    if writing { try container.store.checkWritable() }
    return LocalContainer(
      store: container.store, environment: environment ?? mirror.source.environment, identity: .mirrorOwner)
  }

  /// A container file that a command takes as its input, in the environment that it mirrors, or in the command's.
  func containerFile(_ path: String) throws -> LocalContainer {
    let advice = "Give the path of a file that 'container backup' wrote, or of a local container."
    guard try !LocalStore.isMissing(path) else {
      throw ContainerFailure(.storage, "there is no file \(path)", hint: advice)
    }
    let store: LocalStore
    do {
      store = try LocalStore(.file(path), access: .readOnly, settings: LocalContainerSettings())
    } catch let failure as ContainerFailure where failure.kind == .notContainer {
      // Advice on how a container takes its place would not help with a file that is only read.
      throw ContainerFailure(.notContainer, failure.message, hint: advice)
    }
    warn(about: store)
    if let mirror = store.mirror {
      let line: PrintableText = "\(path): \(mirror.description)"
      if mirror.gap == nil { note(line) } else { alert(line) }
    }
    return LocalContainer(store: store, environment: try store.mirror?.source.environment ?? environment)
  }

  func warn(about store: LocalStore) {
    if let warning = store.warning { warn(warning) }
  }

  /// Whether the container is an SQLite database. What counts for a service is ``usesService``.
  var hasLocalContainer: Bool { get throws { try location.localStore != nil } }

  /// Whether the container is reached through CloudKit Web Services, whose limits, delays and credentials then count.
  var usesService: Bool { get throws { try location.cloudKitID != nil } }

  var isContainerMissing: Bool {
    get throws {
      guard case .local(let path) = try location else { return false }
      return try LocalStore.isMissing(path)
    }
  }

  /// Throws if no container can be created at the path. Only the tool's own folder is created; other folders must
  /// exist, so that a misspelled path creates none.
  private func checkRoom(for path: String, makingFolder: Bool) throws {
    let folder = FilePath(path).removingLastComponent().string
    guard path == defaultContainerPath, try LocalStore.isMissing(folder) else {
      return try LocalStore.checkRoom(for: path)
    }
    try LocalStore.checkRoom(for: folder)
    if makingFolder { _ = try StateFolder.open(folder, making: true) }
  }

  /// Throws if another user could have placed the container in the tool's own folder, or if it is a link.
  private func checkStateFolder(of path: String) throws {
    let (folder, name) = (FilePath(path).removingLastComponent().string, FilePath(path).lastComponent?.string)
    guard path == defaultContainerPath, let name, try !LocalStore.isMissing(folder) else { return }
    try StateFolder.open(folder, making: false).checkFile(name)
  }
}

enum ContainerLocation: Sendable, Hashable, CustomStringConvertible {
  case local(path: String)
  case memory
  /// A container that is reached through CloudKit Web Services, at Apple or an emulator.
  case cloudKit(id: String)

  /// `nil` for a container that is not a service.
  var cloudKitID: String? { if case .cloudKit(let id) = self { id } else { nil } }

  /// `nil` for a container that is not an SQLite database.
  var localStore: LocalStore.Location? {
    switch self {
    case .local(let path): .file(path)
    case .memory: .memory
    case .cloudKit: nil
    }
  }

  /// Throws a usage error that lists the accepted forms.
  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count == 2 ? parts[1] : nil) {
    case ("local", let path?) where !path.isEmpty: self = .local(path: path)
    case ("memory", ""): self = .memory
    case ("cloudkit", let id?) where id.hasPrefix("iCloud.") && !id.contains("/"): self = .cloudKit(id: id)
    case ("cloudkit", let id?):
      throw CommandFailure.usage(
        "'\(id)' is not a container id", hint: "Container ids look like iCloud.com.example.App.")
    default:
      throw CommandFailure.usage(
        "invalid container '\(text)'", hint: "Use local:PATH, memory: or cloudkit:iCloud.com.example.App.")
    }
  }

  /// The container that a setting names. Error messages only quote the value if it comes from the command line,
  /// because a file could contain a secret in the wrong setting.
  init(_ setting: Setting) throws {
    let isID = setting.key == .cloudKitContainer
    do {
      try self.init(isID ? "cloudkit:\(setting.value)" : setting.value)
    } catch  where setting.origin.name != "flag" {
      throw setting.refused(
        mustBe: isID
          ? "a container id such as iCloud.com.example.App"
          : "local:PATH, memory: or cloudkit:iCloud.com.example.App")
    }
  }

  var description: String {
    switch self {
    case .local(let path): "local:\(path)"
    case .memory: "memory:"
    case .cloudKit(let id): "cloudkit:\(id)"
    }
  }
}

extension RunnableCommand {
  static var tool: CommandLineTool { AdminTool.tool }

  func envelope(in context: CommandContext) throws -> JSONEnvelope { try context.envelope(for: Self.title) }

  func prepare(in context: CommandContext) throws {
    if (Self.self as? any CommandFormats.Type)?.usesContainer ?? false { try context.noteUnusedContainer() }
    try useFiles(in: context)
  }

  private func useFiles(in context: CommandContext) throws {
    // Without a result none of these can be replaced.
    let results = allResultFiles
    guard !results.isEmpty else { return }
    if case .local(let path) = try context.location { try LocalStore.useFiles(of: path) }
    let settings: [(SettingKey, String)] = [
      (.cloudKitKeyPath, "the key file"), (.aggregates, "a file of settings"),
      (.moderation, "a file of settings"),
    ]
    for (key, role) in settings {
      if let path = try context.settings[key] ?? key.defaultValue { try RunFiles.use(path, as: role) }
    }
    if context.process.configurationFolder != nil {
      let tokens = TokenStore(context.process)
      for kind in TokenStore.Kind.allCases {
        try RunFiles.use(tokens.path(kind), as: "the file of the \(kind.rawValue) token")
      }
    }
    for result in results {
      guard let file = try? FileKind.resolvedPath(result) else { continue }
      func pathOf(_ folder: String?) -> String? {
        guard let folder, let real = try? FileKind.resolvedPath(folder), file.hasPrefix("\(real)/") else {
          return nil
        }
        return String(file.dropFirst(real.count + 1))
      }
      if pathOf(SeedFolder.nearest(to: context.process.directory)).map(SeedFolder.reads) == true {
        try RunFiles.use(result, as: "a seed file")
      }
      if file.hasSuffix(".ckdb"), !Self.title.hasPrefix("schema "), !Self.title.hasPrefix("cktool ") {
        try RunFiles.use(result, as: "a schema file")
      }
      if pathOf((try? context.stateDirectory).map { "\($0)/\(RunHistory.folderName)" }) != nil {
        try RunFiles.use(result, as: "a file of the history")
      }
    }
  }
}

extension JSONEnvelope {
  init(command: String, target: ContainerIdentity) {
    self.init(command: command, container: target.name, environment: target.environment.rawValue)
  }
}

extension CommandContext {
  func envelope(for title: String) throws -> JSONEnvelope {
    JSONEnvelope(command: title, target: try target)
  }

  /// The command's container: the configured container or CloudKit container id, whichever has higher precedence.
  /// Default: a file in the state folder beside the project file, or in the working directory.
  var location: ContainerLocation {
    get throws {
      guard let setting = try settings.lookup(.container, .cloudKitContainer) else {
        return .local(path: defaultContainerPath)
      }
      return try ContainerLocation(setting)
    }
  }

  private var defaultContainerPath: String { projectPath("\(StateFolder.name)/container.sqlite") }

  /// Prints a note if the environment names another container than the one that is used.
  fileprivate func noteUnusedContainer() throws {
    guard let setting = try settings.lookup(.container, .cloudKitContainer), setting.key == .container,
      let other = try settings.lookup(.cloudKitContainer), setting.origin.name == "environment",
      other.origin == setting.origin, "cloudkit:\(other.value)" != setting.value
    else { return }
    note(
      "note: \(SettingKey.container.variable) names the container, \(setting.shown); \(SettingKey.cloudKitContainer.variable) names another one, which is not used"
    )
  }

  /// The configured environment; once a mirror is open, that of the mirror.
  var environment: Environment {
    get throws {
      if let mirrored = mirror.flatMap({ Environment(rawValue: $0.environment) }) { return mirrored }
      return try settings.value(.cloudKitEnvironment) { Environment(rawValue: $0.lowercased()) }
        ?? .development
    }
  }

  /// Whether the command is run by 'emulator exec', whose container ends with it.
  var isInEmulatorExec: Bool { process.environment[RunningEmulator.variableOfExec] != nil }

  var target: ContainerIdentity {
    get throws { ContainerIdentity(name: try location.description, environment: try environment) }
  }

  /// The folder with the history and the locks: beside a local container, so that each path to the file leads to the
  /// same runs; otherwise beside the project file, or in the working directory.
  var stateDirectory: String {
    get throws {
      if let folder = try settings[.stateDirectory] { return folder }
      guard case .local(let path) = try location else {
        return "\(settings.projectDirectory ?? process.directory)/\(StateFolder.name)"
      }
      return try StateFolder.path(beside: path)
    }
  }

  /// A path in the folder of the project file, or in the working directory without one. A file that has this path from the
  /// working directory, and is not meant, is noted.
  private func projectPath(_ path: String) -> String {
    let folder = settings.projectDirectory
    if let note = Settings.unusedFile(path, in: process.directory, project: folder) { noteOnce("\(note)") }
    return folder.map { "\($0)/\(path)" } ?? path
  }

  /// A file that the project declares something in: the given one, else the configured one, else the setting's default in the
  /// project's folder.
  ///
  /// - Returns: its text and its path. Without a file at the default path, `nil` and the absolute path, for messages.
  func projectFile(_ key: SettingKey, given: String? = nil) throws -> (source: SourceText?, path: String) {
    if let path = try given ?? settings[key] { return (try InputFile.source(path), path) }
    let path = projectPath(key.defaultValue ?? key.name)
    if FileManager.default.fileExists(atPath: path) { return (try InputFile.source(path), path) }
    return (nil, process.absolutePath(path))
  }

  /// The current time, for dates that the command stores: that of the command's service, once a reply has stated it.
  var now: Timestamp { Timestamp(time) }

  /// The current time by the container's clock, for what is judged by it. Throws the container's errors.
  func now(by container: any Container) async throws -> Timestamp {
    isClockStopped ? now : try await container.clock.time()?.earliest ?? now
  }

  /// A new name for a run, with the time of this machine.
  func makeRunID() -> String { RunID.make(at: Timestamp(process.now()), random: .random(in: 0...UInt32.max)) }
}
