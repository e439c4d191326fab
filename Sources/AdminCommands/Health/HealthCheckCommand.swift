internal import ArgumentParser
internal import Articles
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedFetching
package import FeedHealth
internal import FeedParsing
internal import FeedState
internal import HTTPTransport
internal import RecordChanges

struct HealthCheckCommand: MonitoredCommand {
  static let formats: [OutputFormat] = [.text, .json, .jsonl, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Fetch the feeds that are due, assess them, and record the result.",
    discussion: """
      Sends one request at a time to a host, with the ETag and date of its last answer, and not before the time that \
      the host asked for. The feeds that have been due longest come first. A feed becomes down after 3 failures in a \
      row. A 410 or a page in its place suffices when a second request agrees, but if the feed worked lately, other \
      content must last an hour, even after 3 failures. A server that refuses us makes it down only after 30 days. If \
      nearly all hosts that worked before fail in one way, such as without an answer of a name server, without a \
      connection, or with the same page, our own network is the cause: nothing is written, and the status is 1. The \
      site of a feed that is gone is asked for its feeds, with at most 8 requests; 'seed moves' lists what is proposed.

      With --seeds, the feeds of a seed folder that the container does not have yet are checked, and nothing is \
      recorded.

      Reads only the feeds that are due or have changed, and all feeds at least once a day, and with --fail-on, --metrics, \
      -v or --force. An older schema without the indexes for that is read whole each time.

      --fail-on down looks at the whole catalog after the run, also at feeds that were not due. --fail-on newly-down \
      reports each fall once: feeds that became down since the last run with it over all feeds, those that began to \
      flap (a second fall within 7 days), and flapping feeds that have been down for 3 days.

      Times are written as 30s, 5m or 2h. Settings decide when a feed is degraded or down, and whether robots.txt is \
      obeyed: see 'health' in 'celestra-admin config list'.

      Examples:
        celestra-admin health check -q --budget 30m --fail-on newly-down
        celestra-admin health check --category science --force
      """)

  @OptionGroup var choices: HealthCheckOptions
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<HealthCheckCommand>

  var isDryRun: Bool { choices.isDryRun }

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.checkHealth(
      as: Self.title, choices, articles: ArticleSettings.optionsOfChecks(context.settings), monitoring)
  }
}

struct HealthCheckOptions: ParsableArguments {
  @OptionGroup var job: JobOptions
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
    "The time after which no request is sent; the next run checks the rest.", value: "time",
    transform: DurationParser.parse)
  var budget: Duration?
  @Option(
    "End with status 3 when a feed of the catalog is degraded or down, or, with newly-down, when one fell since the last run with it.",
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

  /// Feeds that are not in the container are checked only.
  var isDryRun: Bool { job.mutation.dryRun || seeds != nil }

  /// - Parameter judgesAllFeeds: whether something else than these options needs the whole catalog.
  func options(_ context: CommandContext, judgesAllFeeds: Bool) throws -> HealthOptions {
    var options = try HealthOptions(context.settings)
    options.category = category
    options.only = only
    options.siteSearch = Self.siteSearch(at: context.now)
    options.aliases = only.isEmpty ? [:] : context.feedURLsOfSeeds
    options.force = force
    options.reportsFalls = failOn == .newlyDown
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

  private static func siteSearch(at now: Timestamp) -> SiteFeedSearch {
    { site, transport, addresses in
      let finder = FeedFinder(transport: transport, addresses: addresses, now: now, limits: .forGoneFeeds)
      return try await finder.find(site).choices
        .filter { !$0.isCommentsFeed && !$0.feed.items.isEmpty }
        .map {
          SiteFeed(url: $0.feedURL, title: $0.feed.title, siteURL: $0.feed.siteURL, otherPage: $0.otherPage)
        }
    }
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

extension CommandContext {
  /// Checks the health of feeds, and stores their items if `articles` says what.
  ///
  /// - Parameter command: the one that runs, for the progress and the history.
  func checkHealth(
    as command: String, _ choices: HealthCheckOptions, articles: ArticleOptions?,
    _ monitoring: MonitoringOptions
  ) async throws -> HealthRunReport {
    let runner = try await JobRunner(self, writing: !choices.isDryRun, lease: choices.job.lease)
    var options = try choices.options(self, judgesAllFeeds: monitoring.metrics != nil)
    options.articles = articles
    options.settle = try settleTime()
    let transport = try CurlTransport(.init(maxConcurrentTransfers: options.concurrency * options.perHost))
    let check = HealthCheck(
      container: runner.container, transport: reporting(transport), clock: healthClock, options: options)
    let candidates = try choices.seeds.map { try SeedCatalog.loaded(from: $0).0.feeds }
    if !choices.isDryRun {
      try await confirmJob("Record what the checks find in \(target.inWords).", options: choices.job.mutation)
    }
    if format == .jsonl { try results.open() }
    let display = HealthRunLines(context: self, progress: progress(of: command))
    var job = WritingJob(command, kind: .job, lease: .health)
    job.writtenTypes = [options.mapping.stateType ?? options.mapping.recordType]
    // The progress counts feeds, not records.
    let run = try await runner.run(job, progress: { _, _ in }) {
      try await check.run(candidates: candidates, through: $0, showing: display)
    }
    try display.show([run.totalsJSON])
    return HealthRunReport(run, failLevel: choices.failOn, isVerbose: common.verbose)
  }

  /// The clock of a health run. Time limits use real time, even if a setting freezes the clock.
  private var healthClock: HealthRunClock {
    let started = ContinuousClock.now
    return HealthRunClock(
      now: { self.now }, elapsed: { ContinuousClock.now - started }, wait: process.wait, waits: waits)
  }

  /// The feed URLs in the nearest seed folder, by slug. Without one, a slug is compared with the feeds' titles.
  var feedURLsOfSeeds: [String: String] {
    let (catalog, findings) = nearestCatalog()
    for finding in findings { note("note: \(finding.message)") }
    return Dictionary(catalog.feeds.map { ($0.slug, $0.feedURL) }, uniquingKeysWith: { first, _ in first })
  }
}

/// Shows the progress of a check, and its results as lines of JSON.
private struct HealthRunLines: HealthRunDisplay {
  let context: CommandContext
  let progress: @Sendable (_ done: Int, _ total: Int?) -> Void

  func show(done: Int, of total: Int) { progress(done, total) }

  func show(_ results: [FeedResult]) throws {
    if context.format == .jsonl { try show(results.map(\.json)) }
  }

  func show(_ lines: [JSONValue]) throws {
    guard context.format == .jsonl else { return }
    // If the reader has closed the pipe, the check goes on, because its records and exit status still matter.
    do {
      for line in lines { try context.results.write(line: line) }
      try context.results.flush()
    } catch is Console.ClosedPipe {}
  }
}
