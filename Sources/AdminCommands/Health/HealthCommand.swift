internal import ArgumentParser

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Find out how the catalog's feeds are.",
    subcommands: [HealthCheckCommand.self])
}
