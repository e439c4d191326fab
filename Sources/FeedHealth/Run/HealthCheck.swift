internal import Articles
public import Catalog
public import CloudKitModel
internal import FeedFetching
internal import FeedState
public import HTTPTransport
public import RecordChanges

/// Checks the catalog's feeds: fetches them, assesses them, and records the result.
///
/// All state lives in the container, so any machine can run the check. Running it again finishes an interrupted run,
/// because feeds that are not due are skipped. Writes touch computed fields only and go through the job's writer, whose
/// lease keeps two checks apart.
public struct HealthCheck: Sendable {
  private let container: any Container
  private let transport: any HTTPTransport
  private let clock: HealthRunClock
  private var options: HealthOptions

  public init(
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
  ///   - onProgress: called with the number of feeds checked so far and the number due.
  ///   - onResults: called with results once they are recorded; during our own outage, at the end.
  /// - Throws: errors of reading the container, ``HealthCheckError``, and errors of the callbacks. Failures of feeds and
  ///   of writes are in the report, and so is the end of a task that was cancelled after feeds were judged.
  public func run(
    candidates: [SeedFeed]? = nil, through writer: LeasedJobWriter?,
    onProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
    onResults: ([FeedResult]) async throws -> Void = { _ in }
  ) async throws -> HealthRunResult {
    var check = self
    if candidates != nil { check.options.articles = nil }
    check.options.mapping = try await options.mapping.matching(
      container, storesArticles: check.options.articles != nil)
    if let articles = check.options.articles {
      check.options.articles?.mapping = try await articles.mapping.matching(container)
    }
    if let candidates { return try await check.check(candidates, onProgress, onResults) }
    let former = try await HealthRunMemory.read(writer, in: container)
    let report = try await check.reporting(after: former, remembers: writer?.isLeased ?? true) {
      try await check.checkDue(
        writer, after: former, onProgress, onResults)
    }
    writer?.lastRun = report.lastRun(at: clock.now(), after: former)
    return report
  }

  /// Runs the checks and adds what changed since the last report.
  ///
  /// - Parameter remembers: whether runs are remembered. If so, falls before the first report were never reported.
  private func reporting(
    after former: HealthRunMemory?, remembers: Bool, _ run: () async throws -> HealthRunResult
  ) async throws -> HealthRunResult {
    let start = clock.now()
    var report = try await run()
    report.isOfAll = options.only.isEmpty && options.category == nil
    report.hasOlderSchema = options.mapping.hasOlderSchema
    report.addArticles(to: former?.articlesByHour, at: clock.now())
    guard report.outage == nil else { return report }
    let former = report.readsOnlyDue ? start : former?.reportedUntil
    let since = former ?? (remembers ? Timestamp(milliseconds: 0) : start)
    report.alerts = HealthAlerts(report, since: since, start: start, end: clock.now())
    return report
  }

  private func checkDue(
    _ writer: LeasedJobWriter?, after former: HealthRunMemory?,
    _ onProgress: (_ done: Int, _ total: Int) -> Void, _ onResults: ([FeedResult]) async throws -> Void
  ) async throws -> HealthRunResult {
    let readingBegan = try await RunReading.moment(of: container, clock, settle: options.settle)
    let loaded = try await load(former?.reading(at: readingBegan, options) ?? .all)
    let (due, skipped) = split(loaded.targets, at: clock.now())
    let known = KnownFeedURLs(container: container, fields: options.mapping, names: loaded.known)
    var report = try await check(
      assigned(due), of: due.count, known,
      HealthRunRecorder(
        due, skipped: skipped,
        samples: HostSamples(
          due, thresholds: options.thresholds, atFault: former?.hostsAtFault(at: clock.now()) ?? []),
        clock: clock, writer: writer, plans: writer == nil,
        articles: articles),
      onProgress, onResults)
    report.reading = loaded.reading
    report.readingBegan = readingBegan
    return report
  }

  private func load(_ reading: RunReading) async throws -> FeedCheckTargetLoader.Loaded {
    let loader = FeedCheckTargetLoader(container: container, options: options)
    guard case .due(let since) = reading else { return try await loader.load() }
    if let targets = try await loader.loadDue(at: clock.now(), changedSince: since) {
      return FeedCheckTargetLoader.Loaded(targets: targets, reading: reading)
    }
    var loaded = try await loader.load()
    loaded.reading = .allWithoutIndexes(loader.linesForDueFeeds)
    return loaded
  }

  private func assigned(_ targets: [FeedCheckTarget]) -> HostAssignment<FeedCheckTarget> {
    HostAssignment(
      targets, policy: options.policy, perHost: options.perHost, longestFirst: options.budget == nil)
  }

  private func check(
    _ feeds: [SeedFeed], _ onProgress: (_ done: Int, _ total: Int) -> Void,
    _ onResults: ([FeedResult]) async throws -> Void
  ) async throws -> HealthRunResult {
    var options = options
    options.only = []
    options.category = nil
    let loaded = try await FeedCheckTargetLoader(container: container, options: options).load()
    let targets = feeds.filter { $0.isNew(among: loaded.known ?? [:]) }.map(\.target)
    let known = KnownFeedURLs(container: container, fields: options.mapping, names: loaded.known)
    return try await check(
      assigned(targets), of: targets.count, known,
      HealthRunRecorder(
        targets, skipped: [], samples: HostSamples(targets, thresholds: options.thresholds), clock: clock),
      onProgress, onResults)
  }

  private func check(
    _ hosts: HostAssignment<FeedCheckTarget>, of count: Int, _ known: KnownFeedURLs,
    _ recorder: consuming HealthRunRecorder,
    _ onProgress: (Int, Int) -> Void, _ onResults: ([FeedResult]) async throws -> Void
  ) async throws -> HealthRunResult {
    onProgress(0, count)
    let (events, continuation) = AsyncStream.makeStream(of: FeedCheckEvent.self)
    let checker = FeedChecker(transport: transport, clock: clock, options: options)
    let robots = RobotsCache(transport: transport, policy: options.policy)
    let backlog = ArticleBacklog(maxItems: Self.maxWaitingItems)
    let scheduler = FeedCheckScheduler(
      checker: checker, suggestions: ReplacementURLFinder(checker: checker), catalog: known,
      goneFeeds: options.siteSearch.map { GoneFeedSearch(search: $0, checker: checker, robots: robots) },
      robots: robots, deadline: options.budget.map { clock.elapsed() + $0 }, backlog: backlog,
      samples: recorder.samples,
      events: continuation)
    // Leaving this scope early cancels the child tasks, which ends every transfer.
    async let _: Void = scheduler.run(hosts)
    async let _: Void = Self.tick(continuation)
    for await event in events {
      if case .checked(let check) = event { backlog.remove(check.articles?.itemsToStore ?? 0) }
      let goesOn = try await recorder.take(event)
      try await recorder.passReleased(to: onResults)
      guard goesOn else { break }
      onProgress(recorder.accounted, count)
    }
    if Task.isCancelled { recorder.markInterrupted() }
    // In a task of its own, which the cancellation of this one does not reach.
    recorder = try await Task { [recorder = copy recorder] in
      var recorder = recorder
      try await recorder.close()
      return recorder
    }.value
    try await recorder.passReleased(to: onResults)
    return recorder.report
  }

  /// As many as are written together, so that the next ones are there when these are.
  private static let maxWaitingItems = 10 * ContainerLimits.operationsPerRequest

  /// Lets the recorder write waiting results while no feed answers.
  private static func tick(_ events: AsyncStream<FeedCheckEvent>.Continuation) async {
    do {
      while true {
        try await Task.sleep(for: .seconds(1))
        guard case .enqueued = events.yield(.tick) else { return }
      }
    } catch {
      // The run has ended.
    }
  }

  private var articles: ArticleBatchRecorder? {
    options.articles.map {
      ArticleBatchRecorder(
        ArticleRecorder(container: container, options: $0, now: clock.now), options: $0,
        keepsCoverage: options.mapping.keepsArticleCoverage)
    }
  }

  private func split(_ targets: [FeedCheckTarget], at now: Timestamp) -> ([FeedCheckTarget], [SkippedFeed]) {
    var due: [FeedCheckTarget] = []
    var skipped: [SkippedFeed] = []
    for target in targets {
      if let next = target.deferral(at: now, options) {
        skipped.append(SkippedFeed(target, .notDue(until: next), now: now, policy: options.policy))
      } else {
        due.append(target)
      }
    }
    return (due, skipped)
  }
}
