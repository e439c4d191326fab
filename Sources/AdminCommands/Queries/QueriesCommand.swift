internal import ArgumentParser

/// The command group `queries`.
struct QueriesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queries", abstract: "Try an app's queries.", subcommands: [QueriesRehearse.self])
}
