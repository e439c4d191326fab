internal import Articles
package import Catalog
package import CloudKitModel
internal import FeedFetching
internal import FeedState
package import HTTPTransport
package import RecordChanges

/// Checks the catalog's feeds: fetches them, assesses them, and records the result.
///
/// All state lives in the container, so any machine can run the check. Running it again finishes an interrupted run,
/// because feeds that are not due are skipped. Writes touch computed fields only and go through the job's writer, whose
/// lease keeps two checks apart.
package struct HealthCheck: Sendable {
  private let container: any Container
  private let transport: any HTTPTransport
  private let clock: HealthRunClock
  private let options: HealthOptions

  package init(
    container: any Container, transport: any HTTPTransport, clock: HealthRunClock,
    options: HealthOptions = HealthOptions()
  ) {
    self.container = container
    self.transport = transport
    self.clock = clock
    self.options = options
  }

  /// Checks the feeds that are due, or feeds that are in no container yet.
  ///
  /// - Parameters:
  ///   - candidates: feeds to check instead of those of the container, of which nothing is recorded; those that the
  ///     container has already are left out.
  ///   - writer: records the results; `nil` for a dry run, whose report holds the changes as its plan.
  /// - Throws: errors of reading the container, ``HealthCheckError``, and errors of the display. Failures of feeds and
  ///   of writes are in the report, and so is the end of a task that was cancelled after feeds were judged.
  package func run(
    candidates: [SeedFeed]? = nil, through writer: JobWriter?,
    showing display: (any HealthRunDisplay)? = nil
  ) async throws -> HealthRunResult {
    let start = clock.now()
    let options = try await options.matching(container, readsSeeds: candidates != nil)
    let loader = FeedCheckTargetLoader(container: container, options: options, clock: clock)
    if let candidates {
      let checker = FeedChecker(transport: transport, clock: clock, options: options)
      let feeds = try await loader.load(candidates)
      return try await check(
        feeds, checker,
        HealthRunRecorder(feeds, checker, HostSamples(feeds.due, options.thresholds), display: display))
    }
    let (former, isReadable) = try await HealthRunMemory.read(writer, in: container)
    let checker = FeedChecker(
      transport: transport, clock: clock, options: options, namedUntil: former?.namedUntil)
    let feeds = try await loader.load(after: former)
    let samples = HostSamples(
      feeds.due, options.thresholds, atFault: former?.hostsAtFault(at: clock.now()) ?? [])
    let recorder = HealthRunRecorder(
      feeds, checker, samples, writer: writer, plans: writer == nil,
      articles: options.articles.map { ArticleRecorder(container: container, options: $0, now: clock.now) },
      display: display)
    var report = try await check(feeds, checker, recorder)
    report.conclude(
      options, after: former, remembers: writer?.isLeased ?? isReadable, start: start, end: clock.now())
    writer?.lastRun = report.lastRun(at: clock.now(), after: former)
    return report
  }

  /// Fetches the feeds and records what they show. What was judged is recorded, however the run ends.
  private func check(
    _ feeds: FeedCheckTargetLoader.Loaded, _ checker: FeedChecker, _ recorder: HealthRunRecorder
  ) async throws -> HealthRunResult {
    let options = checker.options
    let hosts = HostAssignment(
      feeds.due, policy: options.policy, perHost: options.perHost, longestFirst: options.budget == nil)
    let known = KnownFeedURLs(container: container, fields: options.mapping, names: feeds.known)
    let scheduler = FeedCheckScheduler(checker: checker, catalog: known, recorder: recorder)
    var failure: (any Error)?
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        // Leaving this scope cancels the tasks, which ends every transfer.
        group.addTask { try await scheduler.run(hosts) }
        group.addTask { try await recorder.writeEverySecond() }
        try await group.next()
        group.cancelAll()
      }
    } catch is CancellationError {
    } catch is HealthRunRecorder.RunEnd {
    } catch {
      failure = error
    }
    let report = try await recorder.close(isInterrupted: Task.isCancelled)
    if let failure { throw failure }
    return report
  }
}

/// Shows what a health check does while it runs.
package protocol HealthRunDisplay: Sendable {
  func show(done: Int, of total: Int)
  /// Shows results once they are recorded; during our own outage, at the end. An error ends the run.
  func show(_ results: [FeedResult]) throws
}
