internal import ArgumentParser
internal import Catalog
internal import CommandLine
internal import FeedFetching
package import FeedHealth
internal import HTTPTransport

struct HealthCheckOptions: ParsableArguments {
  @Option("Only feeds of this category.", value: "slug", completion: CompletionValues.categories)
  var category: String?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Only these feeds: record names, URLs or slugs.", valueName: "feed"),
    completion: CompletionValues.feeds)
  var only: [String] = []
  @Option(
    "Check the feeds of this seed folder that the container does not have.", value: "dir",
    completion: .directory)
  var seeds: String?
  @Option(
    "Time limit for the whole run; the next run checks the rest.", value: "time",
    transform: DurationParser.parse)
  var budget: Duration?
  @Option(
    "End with status 3 when a feed of the catalog is degraded or down, or, with newly-down, when one fell since the last report.",
    value: "status")
  var failOn: HealthRunReport.FailLevel?
  @Flag(help: "Check feeds that are not due, too.") var force = false

  @OptionGroup(title: "Requests") var requests: FeedRequestOptions

  func validate() throws {
    guard seeds == nil || (category == nil && only.isEmpty) else {
      throw ValidationError(
        "--seeds checks feeds that are not in the container, so --category and --only cannot be used with it")
    }
  }

  /// The feeds to check instead of those of the container. Throws ``CommandFailure`` with the errors of the seeds.
  func candidates() throws -> [SeedFeed]? {
    try seeds.map { try SeedCatalog.loaded(from: $0).0.feeds }
  }

  func transport() throws -> CurlTransport {
    try CurlTransport(.init(maxConcurrentTransfers: requests.concurrency * requests.perHost))
  }

  /// - Parameter judgesAllFeeds: whether something else than these options needs the whole catalog.
  func options(_ context: CommandContext, judgesAllFeeds: Bool) throws -> HealthOptions {
    var options = HealthOptions()
    try HealthCheckSettings.apply(context.settings, to: &options)
    options.mapping = try FeedRecordSettings.mapping(context.settings)
    options.category = category
    options.only = only
    options.siteSearch = SiteSearch(now: context.now)
    options.aliases = only.isEmpty ? [:] : context.feedURLsOfSeeds
    options.force = force
    options.readsAllFeeds = judgesAllFeeds || failOn != nil || context.common.verbose
    options.concurrency = requests.concurrency
    options.perHost = requests.perHost
    options.budget = budget
    options.policy.totalTimeout = requests.timeout ?? options.policy.totalTimeout
    options.policy.allowPrivateAddresses = requests.allowPrivateAddresses
    options.policy.userAgent = FetchPolicy.userAgent(
      version: AdminTool.version, contact: try context.settings[.contact])
    return options
  }
}

struct FeedRequestOptions: ParsableArguments {
  @Option("Number of hosts to request from at the same time.", value: "n") var concurrency = 256
  @Option("Number of requests to one host at the same time.", value: "n") var perHost = 1
  @Option(
    "Time limit for one feed, including redirects. Default: 30s.", value: "time",
    transform: DurationParser.parse)
  var timeout: Duration?
  @Flag(help: "Allow feeds at private addresses, for tests and intranets.") var allowPrivateAddresses =
    false

  /// The maximum value of `--concurrency`. Each check needs a connection; systems allow fewer open files.
  private static let maxHosts = 20_000

  func validate() throws {
    guard (1...Self.maxHosts).contains(concurrency), (1...concurrency).contains(perHost) else {
      throw ValidationError(
        "--concurrency must be 1 to \(Self.maxHosts), and --per-host 1 to --concurrency")
    }
  }
}

extension HealthRunReport.FailLevel: ExpressibleByArgument {}
