internal import ArgumentParser

/// The command group `feed`.
struct FeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Find and inspect feeds.", subcommands: [FeedFind.self, FeedInspect.self])
}
