internal import ArgumentParser
internal import Articles
internal import CommandLine
internal import Diagnostics

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
