internal import ArgumentParser
internal import Articles
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth

/// The command `articles list`.
struct ArticlesList: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print stored articles, the newest first.",
    discussion: """
      With --repeated, prints the stories that several articles have, mostly because several feeds list them: \
      articles with the same contentHash, so with the same title, address and text. It reads all articles.

      Example: celestra-admin articles list --feed kottke --limit 5
      Example: celestra-admin articles list --repeated
      """)

  @Option(
    help: ArgumentHelp("Only articles of this feed: record name, URL or slug.", valueName: "feed"),
    completion: CompletionValues.feeds)
  var feed: String?
  @Flag(help: "Only articles that have expired.") var expired = false
  @Flag(help: "Only stories that several articles have; with --feed, those of which it has one.")
  var repeated = false
  @Option(help: ArgumentHelp("Print at most this many articles, or stories.", valueName: "n")) var limit = 50
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ArticlesList>

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit takes a whole number from 1 up") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    var conditions = ArticleListing.Conditions()
    let container = try await context.container()
    conditions.feed = try await context.feedRecordName(feed, in: container)
    conditions.expiredBefore = expired ? try await context.now(by: container) : nil
    let listing = try context.articles(in: container)
    return repeated
      ? try await listing.repeated(conditions, limit: limit)
      : try await listing.list(conditions, limit: limit)
  }
}

extension CommandContext {
  /// The record name of a feed that an option names.
  func feedRecordName(_ name: String?, in container: any Container) async throws -> String? {
    guard let name else { return nil }
    return try await container.feedRecordName(
      of: name, FeedRecordSettings.mapping(settings), aliases: feedURLsOfSeeds)
  }

  func articles(in container: any Container) throws -> ArticleListing {
    ArticleListing(container: container, mapping: try ArticleSettings.mapping(settings))
  }
}
