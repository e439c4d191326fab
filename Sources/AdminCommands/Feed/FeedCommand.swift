internal import ArgumentParser

struct FeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "Look into feeds.", subcommands: [FeedInspect.self])
}
