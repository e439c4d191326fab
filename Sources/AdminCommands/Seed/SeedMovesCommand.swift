internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedHealth
internal import FeedState

struct SeedMovesCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "moves", abstract: "Review the addresses that health checks propose, and accept them.",
    discussion: """
      A health check proposes an address when the publisher redirects there for good, when the page in place of a feed \
      leads to one, or when the site of a feed that is gone has one; the container keeps it. An accepted address is written into the seed files in place; 'seed plan' \
      then shows how the records move.

      Examples:
        celestra-admin seed moves
        celestra-admin seed moves --accept six-colors daring-fireball
      """)

  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Accept the addresses of these feeds.", valueName: "slug"),
    completion: CompletionValues.feeds)
  var accept: [String] = []
  @Flag(help: "Accept every address that can be used.") var acceptAll = false
  @Flag(help: .dryRunOfFiles) var dryRun = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedMovesCommand>

  func validate() throws {
    if acceptAll, !accept.isEmpty { throw ValidationError("use --accept or --accept-all, not both") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    var workspace = try SeedWorkspace(folder: try context.seedFolder(directory))
    let health = try await CatalogHealth(
      of: context.container(), mapping: HealthOptions(context.settings).mapping, at: context.now)
    let addresses = Set((health.feeds + health.retired).map { WebAddress.normalized($0.feedURL) })
    let proposals = health.feeds.compactMap { feed in
      feed.proposedURL.map { url in
        ProposedMove(
          recordName: feed.recordName, slug: feed.slug, title: feed.title, from: feed.feedURL, to: url,
          reason: feed.reasons.first.map { "\($0.code) \($0.explanation)" },
          isRedirect: feed.proposesRedirect,
          isFree: !addresses.contains(WebAddress.normalized(url)))
      }
    }
    var moves = SeedMoves(proposals, catalog: workspace.catalog)
    if acceptAll || !accept.isEmpty {
      try moves.accept(acceptAll ? nil : accept, in: &workspace)
      if dryRun { try workspace.requireValid() } else { try workspace.write() }
    }
    moves.isDryRun = dryRun
    return moves.report
  }
}
