internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials

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
  var spec: ContainerLocation {
    get throws {
      guard let setting = try settings.lookup(.container, .cloudKitContainer) else {
        return .local(path: projectPath(ContainerLocation.defaultPath))
      }
      return try ContainerLocation(setting)
    }
  }

  var environment: Environment {
    get throws {
      guard let setting = try settings.lookup(.cloudKitEnvironment) else { return .development }
      guard let environment = Environment(rawValue: setting.value.lowercased()) else {
        throw setting.refused(mustBe: "development or production")
      }
      return environment
    }
  }

  var target: ContainerIdentity {
    get throws { ContainerIdentity(name: try spec.description, environment: try environment) }
  }

  /// The folder with the history and the locks.
  var stateDirectory: String {
    get throws {
      try settings[.stateDirectory] ?? "\(settings.projectDirectory ?? process.directory)/.celestra"
    }
  }

  /// A path in the folder of the project file, or in the working directory without one.
  func projectPath(_ path: String) -> String { settings.projectDirectory.map { "\($0)/\(path)" } ?? path }

  /// Waits before the remaining changes are sent again, and prints a note, because a silent wait looks like a hang.
  func waitForContainer(_ duration: Duration) async throws {
    let seconds = Int(duration.components.seconds)
    if seconds > 0 {
      note("The container is busy. Sending the rest of the changes in \(counted(seconds, "second")).")
    }
    try await process.wait(duration)
  }

  /// The current time, for the dates in records.
  var now: Timestamp { Timestamp(process.now()) }
}
