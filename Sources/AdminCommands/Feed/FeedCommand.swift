internal import ArgumentParser

struct FeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Inspect feeds.", subcommands: [FeedInspect.self])
}
