internal import ArgumentParser

/// The command group `sessions`.
struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Close live sessions that are over, and delete old messages.",
    subcommands: [SessionsClose.self, SessionsPurge.self])
}
