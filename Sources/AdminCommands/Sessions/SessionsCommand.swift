internal import ArgumentParser

/// The command group `sessions`.
struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Keep live sessions in order.",
    subcommands: [SessionsClose.self, SessionsPurge.self])
}
