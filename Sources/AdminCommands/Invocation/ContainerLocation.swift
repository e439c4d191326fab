internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import Platform
internal import RecordChanges

enum ContainerLocation: Sendable, Hashable, CustomStringConvertible {
  case local(path: String)
  case memory
  /// A container that is reached through CloudKit Web Services, at Apple or an emulator.
  case cloudKit(id: String)

  static let defaultPath = ".celestra/container.sqlite"

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
        return .local(path: projectPath(ContainerLocation.defaultPath))
      }
      return try ContainerLocation(setting)
    }
  }

  /// The configured environment; once a mirror is open, that of the mirror.
  var environment: Environment {
    get throws {
      if let mirrored = mirror.flatMap({ Environment(rawValue: $0.environment) }) { return mirrored }
      guard let setting = try settings.lookup(.cloudKitEnvironment) else { return .development }
      guard let environment = Environment(rawValue: setting.value.lowercased()) else {
        throw setting.refused(mustBe: "development or production")
      }
      return environment
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

  /// A path in the folder of the project file, or in the working directory without one.
  func projectPath(_ path: String) -> String { settings.projectDirectory.map { "\($0)/\(path)" } ?? path }

  /// The current time, for dates that the command stores: that of the command's service, once a reply has stated it.
  var now: Timestamp { Timestamp(time) }

  /// The current time by the container's clock, for what is judged by it. Throws the container's errors.
  func now(by container: any Container) async throws -> Timestamp {
    isClockStopped ? now : try await container.clock.time()?.earliest ?? now
  }

  /// A new name for a run, with the time of this machine.
  func makeRunID() -> String { RunID.make(at: Timestamp(process.now()), random: .random(in: 0...UInt32.max)) }
}
