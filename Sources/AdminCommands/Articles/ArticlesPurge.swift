internal import ArgumentParser
internal import Articles
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

struct ArticlesPurge: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge", abstract: "Delete articles that have expired.",
    discussion: """
      Deletes articles whose expiresAt has passed by the service's clock, and those created longer ago than \
      articles.lifetime. This machine's clock decides nothing; if the service does not state its time, nothing is \
      deleted. A run that is stopped is continued by the next one. It cannot be undone, so the named risk is data-loss.

      Example: celestra-admin articles purge --yes --accept-risk data-loss
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions
  @Option(
    "Only articles that expired before this time or longer ago than this age.", value: "time",
    transform: TimeOrAge.parse)
  var before: TimeOrAge?
  @Option("Keep the newest articles of each feed.", value: "n") var keepNewest = 0
  @Option("Delete at most this many articles.", value: "n") var limit: Int?
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ArticlesPurge>

  var isDryRun: Bool { mutation.dryRun }

  func validate() throws {
    guard keepNewest >= 0, limit ?? 1 > 0 else {
      throw ValidationError("--keep-newest takes a number from 0 up, and --limit one from 1 up")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    var options = ArticlePurge.Options(lifetime: try ArticleSettings.options(context.settings).lifetime)
    options.before = before
    options.keepNewest = keepNewest
    let purge = ArticlePurge(
      container: runner.container, mapping: try ArticleSettings.mapping(context.settings), options: options)
    return try await runner.run(purge, of: "expired articles", limit: limit, Self.title, mutation)
  }
}
