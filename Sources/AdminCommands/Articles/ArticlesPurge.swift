internal import ArgumentParser
internal import Articles
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

/// The command `articles purge`.
struct ArticlesPurge: MonitoredCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge", abstract: "Delete articles that have expired.",
    discussion: """
      Deletes articles whose expiresAt has passed by the service's clock, and those created longer ago than \
      articles.lifetime. Refuses to run if the clocks differ by more than 5 minutes. A run that is stopped is \
      continued by the next one. It cannot be undone. The named risk, in production, is data-loss.

      Example: celestra-admin articles purge --yes --accept-risk data-loss
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @Option(help: ArgumentHelp("Delete what expired before this time, in ISO 8601.", valueName: "time"))
  var before: String?
  @Option(help: ArgumentHelp("Keep the newest articles of each feed.", valueName: "n")) var keepNewest = 0
  @Option(help: ArgumentHelp("Delete at most this many articles.", valueName: "n")) var limit: Int?
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<ArticlesPurge>

  var isDryRun: Bool { mutation.dryRun }

  func validate() throws {
    guard keepNewest >= 0, limit ?? 1 > 0 else {
      throw ValidationError("--keep-newest takes a number from 0 up, and --limit one from 1 up")
    }
    if let before, Timestamp(text: before) == nil {
      throw ValidationError("--before takes a time such as 2026-11-20 or 2026-11-20T08:00:00Z")
    }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let options = try options(context)
    let purge = ArticlePurge(
      container: runner.container, mapping: try ArticleSettings.mapping(context.settings), options: options,
      now: { context.now })
    try await context.confirmJob(
      "Delete expired articles from \(context.target.name).", risks: ["data-loss"], options: mutation)
    var job = WritingJob(Self.title, kind: .job, lease: LeaseName(Self.title))
    job.knowsTotal = false
    return try await runner.run(job) { try await purge.run(through: $0) }
  }

  private func options(_ context: CommandContext) throws -> ArticlePurge.Options {
    var options = ArticlePurge.Options(lifetime: try ArticleSettings.options(context.settings).lifetime)
    options.before = before.flatMap(Timestamp.init(text:))
    options.keepNewest = keepNewest
    options.limit = limit
    return options
  }
}
