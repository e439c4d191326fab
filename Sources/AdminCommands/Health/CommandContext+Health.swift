internal import Articles
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import FeedHealth
internal import FeedParsing
internal import FeedState
internal import HTTPTransport
internal import RecordChanges

extension CommandContext {
  /// Checks the health of feeds, and stores their items if `articles` says what.
  ///
  /// - Parameter command: the one that runs, for the progress and the history.
  func checkHealth(
    as command: String, _ choices: HealthCheckOptions, articles: ArticleOptions?, _ mutation: MutationOptions,
    _ lease: LeaseOptions, _ monitoring: MonitoringOptions
  ) async throws -> HealthRunReport {
    let records = !mutation.dryRun && choices.seeds == nil
    let runner = try await JobRunner(self, writing: records, lease: lease)
    var options = try choices.options(self, judgesAllFeeds: monitoring.writesMetrics)
    options.articles = articles
    options.settle = try settleTime()
    let check = HealthCheck(
      container: runner.container, transport: reporting(try choices.transport()), clock: healthClock,
      options: options)
    let candidates = try choices.candidates()
    if records {
      try await confirmJob("Record what the checks find in \(target.name).", options: mutation)
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

/// Finds the feeds of a site for health checks, as `feed find` does, with fewer requests.
struct SiteSearch: SiteFeedSearch {
  let now: Timestamp

  func feeds(of site: String, through transport: any HTTPTransport, addresses: IPAddressPolicy) async throws
    -> [SiteFeed]
  {
    let finder = FeedFinder(transport: transport, addresses: addresses, now: now, limits: .forGoneFeeds)
    return try await finder.find(site).choices
      .filter { !$0.isCommentsFeed && !$0.feed.items.isEmpty }
      .map { SiteFeed(url: $0.feedURL, title: $0.feed.title, siteURL: $0.feed.siteURL) }
  }
}
