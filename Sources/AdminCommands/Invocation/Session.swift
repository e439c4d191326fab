internal import CloudKitModel
internal import Diagnostics

/// What a running command works with: the settings that apply and the ways to the outside.
struct Session: Sendable {
  let common: CommonOptions
  let format: OutputFormat
  let settings: Settings
  let world: World

  func envelope(for title: String) throws -> Envelope {
    Envelope(command: title, target: try target)
  }

  /// Where the records are: a flag or the configuration, else the CloudKit container the environment names, else
  /// a file in the working directory.
  var spec: ContainerSpec {
    get throws {
      if let text = try settings[.container] { return try ContainerSpec(text) }
      if let id = try settings[.cloudKitContainer] { return try ContainerSpec("cloudkit:\(id)") }
      return .local(path: ContainerSpec.defaultPath)
    }
  }

  var environment: Environment {
    get throws {
      guard let text = try settings[.cloudKitEnvironment] else { return .development }
      guard let environment = Environment(rawValue: text.lowercased()) else {
        throw CommandFailure.usage("'\(text)' is not an environment; use development or production")
      }
      return environment
    }
  }

  var target: ContainerIdentity {
    get throws { ContainerIdentity(name: try spec.description, environment: try environment) }
  }

  /// Where journals and locks are kept.
  var stateDirectory: String {
    get throws { try settings[.stateDirectory] ?? "\(world.directory)/.celestra" }
  }

  /// Tells the person something beside the result; silent with `-q`.
  func note(_ text: String) {
    if !common.quiet { world.console.tell(text + "\n") }
  }
}
