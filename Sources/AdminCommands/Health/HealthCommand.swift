internal import ArgumentParser

/// The command group `health`.
struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Check the health of the catalog's feeds.",
    subcommands: [HealthCheckCommand.self])
}
