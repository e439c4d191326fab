internal import ArgumentParser
internal import Articles
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

/// The command `articles search`.
struct ArticlesSearch: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Print stored articles that have every word in their title or text.",
    discussion: """
      The service compares whole words, in any letter case. Words that no article has are named, and so \
      are those without a letter or a digit, which the service does not search.

      Example: celestra-admin articles search swift concurrency --since 30d
      """)

  @Argument(help: "The words.") var words: [String]
  @Option(
    help: ArgumentHelp("Only articles of this feed: record name, URL or slug.", valueName: "feed"),
    completion: CompletionValues.feeds)
  var feed: String?
  @Option(
    help: ArgumentHelp("Only articles published in this time until now.", valueName: "time"),
    transform: DurationParser.parse)
  var since: Duration?
  @Option(help: ArgumentHelp("Only articles in this language, such as de.", valueName: "tag"))
  var language: String?
  @Option(help: ArgumentHelp("Print at most this many articles.", valueName: "n")) var limit = 50
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ArticlesSearch>

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit takes a whole number from 1 up") }
    guard words.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("a word must not be empty") }
    guard words.contains(where: ArticleListing.isSearchable) else {
      throw ValidationError("a word must have a letter or a digit")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    var conditions = ArticleListing.Conditions()
    let container = try await context.container()
    conditions.feed = try await context.feedRecordName(feed, in: container)
    if let since { conditions.since = try await context.now(by: container) - since }
    conditions.language = language
    return try await context.articles(in: container).search(words, conditions, limit: limit)
  }
}
