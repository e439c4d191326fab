internal import ArgumentParser

/// The command group `simulate`.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Fill a local container or an emulator with made-up data.",
    subcommands: [SimulateSubscriptions.self])
}
