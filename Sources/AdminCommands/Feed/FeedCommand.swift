internal import ArgumentParser

struct FeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Find and inspect feeds.", subcommands: [FeedFind.self, FeedInspect.self])
}
