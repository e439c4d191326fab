public import ArgumentParser
internal import Articles
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedFetching
public import FeedHealth
internal import FeedState
internal import HTTPTransport
internal import RecordChanges
internal import SystemPackage

/// The options of a health check.
struct HealthCheckOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only feeds of this category.", valueName: "slug")) var category: String?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Only these feeds: record names, URLs or slugs.", valueName: "feed"))
  var only: [String] = []
  @Option(
    help: ArgumentHelp(
      "Check the feeds of this seed folder that the container does not have.", valueName: "dir"))
  var seeds: String?
  @Option(help: ArgumentHelp("Number of hosts to request from at the same time.", valueName: "n"))
  var concurrency = 256
  @Option(help: ArgumentHelp("Number of requests to one host at the same time.", valueName: "n"))
  var perHost = 1
  @Option(
    help: ArgumentHelp("Time limit for one feed, including redirects. Default: 30s.", valueName: "time"),
    transform: DurationParser.parse)
  var timeout: Duration?
  @Option(
    help: ArgumentHelp("Time limit for the whole run; the next run checks the rest.", valueName: "time"),
    transform: DurationParser.parse)
  var budget: Duration?
  @Option(
    help: ArgumentHelp(
      "End with status 3 when a feed of the catalog is degraded or down, or, with newly-down, when one fell since the last report.",
      valueName: "status"))
  var failOn: HealthRunReport.FailLevel?
  @Flag(help: "Allow feeds at private addresses, for tests and intranets.") var allowPrivateAddresses =
    false
  @Flag(help: "Check feeds that are not due, too.") var force = false

  /// The maximum value of `--concurrency`. Each check needs a connection; systems allow fewer open files.
  private static let maxHosts = 20_000

  func validate() throws {
    guard (1...Self.maxHosts).contains(concurrency), (1...concurrency).contains(perHost) else {
      throw ValidationError(
        "--concurrency must be 1 to \(Self.maxHosts), and --per-host 1 to --concurrency")
    }
    guard seeds == nil || (category == nil && only.isEmpty) else {
      throw ValidationError(
        "--seeds checks feeds that are not in the container, so --category and --only cannot be used with it")
    }
  }

  func transport() throws -> CurlTransport {
    try CurlTransport(.init(maxConcurrentTransfers: max(concurrency, 1) * max(perHost, 1)))
  }

  func options(_ context: CommandContext, isDryRun: Bool) throws -> HealthOptions {
    var options = HealthOptions()
    try HealthCheckSettings.apply(context.settings, to: &options)
    options.mapping = try FeedRecordSettings.mapping(context.settings)
    options.category = category
    options.only = only
    options.siteSearch = SiteSearch(now: context.now)
    options.aliases = only.isEmpty ? [:] : SeedFeeds.addresses(near: context.process.directory)
    options.force = force
    options.readsAllFeeds = failOn != nil || context.common.verbose
    options.isDryRun = isDryRun
    options.concurrency = concurrency
    options.perHost = perHost
    options.budget = budget
    options.policy.totalTimeout = timeout ?? options.policy.totalTimeout
    options.policy.allowPrivateAddresses = allowPrivateAddresses
    options.policy.userAgent = FetchPolicy.userAgent(
      version: AdminTool.version, contact: try context.settings[.contact])
    return options
  }
}

extension HealthRunReport.FailLevel: ExpressibleByArgument {}

/// The feeds that a seed folder declares, for health checks.
struct SeedFeeds {
  private let feeds: [SeedFeed]

  /// Throws ``CommandFailure`` with the errors of the folder.
  init(in directory: String) throws { feeds = try SeedCatalog.loaded(from: directory).0.feeds }

  var candidates: [SeedOnlyFeed] {
    feeds.map { SeedOnlyFeed(slug: $0.slug, feedURL: $0.feedURL, title: $0.title, siteURL: $0.siteURL) }
  }

  /// The feed URLs in the nearest folder `seeds`, by slug. Empty without such a folder or if it has errors; then a
  /// slug is compared with the feeds' titles.
  static func addresses(near directory: String) -> [String: String] {
    var folder = FilePath(directory)
    while true {
      if let catalog = SeedLoader(directory: folder.appending("seeds").string).load().catalog {
        return Dictionary(
          catalog.feeds.map { ($0.slug, $0.feedURL) }, uniquingKeysWith: { first, _ in first })
      }
      if !folder.removeLastComponent() { return [:] }
    }
  }
}

extension CommandContext {
  /// Checks the health of feeds, and stores their items if `articles` says what.
  func checkHealth(
    _ choices: HealthCheckOptions, articles: ArticleOptions?, _ mutation: MutationOptions,
    _ lease: LeaseOptions, _ monitoring: MonitoringOptions
  ) async throws -> HealthRunReport {
    let records = !mutation.dryRun && choices.seeds == nil
    if records {
      try await confirmJob("Record what the checks find in \(target.name).", options: mutation)
    }
    if format == .jsonl { try results.open() }
    let handle = try await openContainer(writing: records)
    var options = try choices.options(self, isDryRun: mutation.dryRun)
    options.articles = articles
    if monitoring.writesMetrics { options.readsAllFeeds = true }
    let check = HealthCheck(
      container: handle.container, transport: reporting(try choices.transport()), clock: healthClock,
      options: options,
      session: records ? try await healthSession(handle, lease) : nil)
    let candidates = try choices.seeds.map { try SeedFeeds(in: $0).candidates }
    let run = try await check.run(
      candidates: candidates, onProgress: progress(of: HealthCheckCommand.title), onResults: show)
    try show([run.totalsJSON])
    return HealthRunReport(run, failLevel: choices.failOn, isVerbose: common.verbose)
  }

  /// The write session of a health run.
  func healthSession(_ handle: ContainerHandle, _ lease: LeaseOptions) async throws -> WriteSession {
    var environment = try writeDependencies(
      HealthCheckCommand.title, schema: try await knownSchema(handle), terms: try lease.terms(self))
    // Count feeds, not records.
    environment.progress = { _, _ in }
    return WriteSession(
      WritingJob(HealthCheckCommand.title, kind: .job, lease: .health), container: handle.container,
      dependencies: environment)
  }

  /// The clock of a health run. Time limits use real time, even if a setting freezes the clock.
  var healthClock: HealthRunClock {
    let started = ContinuousClock.now
    return HealthRunClock(
      now: { self.now }, elapsed: { ContinuousClock.now - started }, wait: process.wait, waits: waits)
  }

  /// Writes results, once they are recorded.
  func show(_ feeds: [FeedResult]) throws { try show(feeds.map(\.json)) }

  private func show(_ lines: [JSONValue]) throws {
    guard format == .jsonl else { return }
    // If the reader has closed the pipe, the check goes on, because its records and exit status still matter.
    do {
      for line in lines { try results.write(line: line) }
      try results.flush()
    } catch is Console.ClosedPipe {}
  }
}
