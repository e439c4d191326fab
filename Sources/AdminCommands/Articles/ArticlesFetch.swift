internal import ArgumentParser
package import Articles
internal import CommandLine
internal import Diagnostics

struct ArticlesFetch: MonitoredCommand {
  static let formats: [OutputFormat] = HealthCheckCommand.formats
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Fetch the feeds that are due, record their health, and store their items.",
    discussion: """
      Does what 'health check' does, and stores the items of each document before it records that the document was \
      read, so that a run that is stopped loses none and creates none twice. Stores excerpts, or what articles.store \
      says. Items older than articles.lifetime are not stored.

      Example: celestra-admin articles fetch -q --budget 30m
      """)

  @OptionGroup var choices: HealthCheckOptions
  @Option(help: "How much of an item to store.") var content: ArticleOptions.Content?
  @Option("Store at most this many new articles; the next run stores the rest.", value: "n")
  var maxItems: Int?
  @Flag(help: "Show what was decided about each item.") var explain = false
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ArticlesFetch>

  var isDryRun: Bool { choices.isDryRun }

  func validate() throws {
    if let maxItems, maxItems < 1 { throw ValidationError("--max-items takes a whole number from 1 up") }
    guard choices.seeds == nil else {
      throw ValidationError(
        "--seeds works only with 'health check': articles belong to feeds of the container")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    var articles = try ArticleSettings.options(context.settings, content: content)
    articles.maxItems = maxItems
    articles.explains = explain
    return try await context.checkHealth(as: Self.title, choices, articles: articles, monitoring)
  }
}

extension ArticleOptions.Content: ExpressibleByArgument {}
