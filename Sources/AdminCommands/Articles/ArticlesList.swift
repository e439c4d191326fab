internal import ArgumentParser
internal import Articles
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth

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
    "Only articles of this feed: record name, URL or slug.", value: "feed", completion: CompletionValues.feeds
  )
  var feed: String?
  @Flag(help: "Only articles whose expiresAt has passed.") var expired = false
  @Flag(help: "Only stories that several articles have; with --feed, those of which it has one.")
  var repeated = false
  @Option("Print at most this many articles, or stories.", value: "n") var limit = 50
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
  func feedRecordName(_ name: String?, in container: any Container) async throws -> String? {
    guard let name else { return nil }
    return try await container.feedRecordName(
      of: name, FeedRecordSettings.mapping(settings), aliases: feedURLsOfSeeds)
  }

  func articles(in container: any Container) throws -> ArticleListing {
    ArticleListing(container: container, mapping: try ArticleSettings.mapping(settings))
  }
}

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
    "Only articles of this feed: record name, URL or slug.", value: "feed", completion: CompletionValues.feeds
  )
  var feed: String?
  @Option("Only articles published in this time until now.", value: "time", transform: DurationParser.parse)
  var since: Duration?
  @Option("Only articles in this language, such as de.", value: "tag") var language: String?
  @Option("Print at most this many articles.", value: "n") var limit = 50
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
    // An argument in quotes may have several words.
    let words = words.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    return try await context.articles(in: container).search(words, conditions, limit: limit)
  }
}

struct ArticlesForecastCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast",
    abstract: "Estimate the records, bytes and requests that storing articles takes.",
    discussion: """
      Without --feeds, counts the feeds of the container that are not retired; without --per-day, uses what health checks \
      measured, with celestra-cloud what its newest articles show, and else assumes 1. Bytes are an estimate: 1 KB for an \
      excerpt, 8 KB for a whole article.

      Example: celestra-admin articles forecast --feeds 10000 --per-day 1.5 --content full
      """)

  @Option("Number of feeds.", value: "n") var feeds: Int?
  @Option("New items of a feed in a day.", value: "x") var perDay: Double?
  @Option(help: "How much of an item to store.") var content: ArticleOptions.Content?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ArticlesForecastCommand>

  private static let assumedPerDay = 1.0

  func validate() throws {
    guard (0...100_000_000).contains(feeds ?? 0), (0...10_000).contains(perDay ?? 0) else {
      throw ValidationError("--feeds takes a number up to 100000000, and --per-day one up to 10000")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let options = try ArticleSettings.options(context.settings, content: content)
    var found: ArticleForecast.Measurement?
    if feeds == nil || perDay == nil {
      found = try await ArticleForecast.measure(
        FeedRecordSettings.mapping(context.settings), options.mapping, in: context.container(),
        at: context.now)
    }
    return ArticleForecast(
      feeds: feeds ?? found?.feeds ?? 0, itemsPerDay: perDay ?? found?.itemsPerDay ?? Self.assumedPerDay,
      origin: perDay != nil ? .given : found?.itemsPerDay != nil ? .measured : .assumed,
      medianPerDay: perDay == nil ? found?.medianPerDay : nil, measuredFeeds: found?.measuredFeeds,
      options: options)
  }
}
