internal import Articles
internal import CloudKitModel
internal import FeedState
internal import RecordChanges

/// Collects a run's results, reports and writes them. Holds back results until a local outage is ruled out. A result
/// is released only after it is written.
struct HealthRunRecorder: Sendable {
  /// A checked feed that was not written yet.
  private struct Entry: Sendable {
    var result: FeedResult?
    var update: FeedStateUpdate?
    var articles: ArticleDocument?
  }

  private(set) var report = HealthRunResult()
  /// The number of feeds checked or skipped, reported or not.
  private(set) var accounted = 0
  let samples: HostSamples
  /// The samples that may be recorded.
  private var clear: Set<Int> = []
  private var held: [Int: [Entry]] = [:]
  private var unwritten: [Entry] = []
  private var unwrittenItems = 0
  private var released: [FeedResult] = []
  private var lastWrite: Timestamp
  private let clock: HealthRunClock
  private let writer: LeasedJobWriter?
  private var articles: ArticleBatchRecorder?

  /// Feeds that are written together, so that hardly a request is partly filled.
  private static let batch = 1000
  /// Items whose articles are written together, for the same reason. More would only take memory.
  private static let itemsInBatch = 10 * ContainerLimits.operationsPerRequest
  /// The maximum number of results that a killed run loses.
  private static let maxUnwrittenTime = Duration.seconds(1)

  /// - Parameters:
  ///   - writer: writes the results; `nil` for a dry run, and for feeds that are in no container yet.
  ///   - plans: whether the report keeps the changes of a dry run as its plan.
  init(
    _ targets: [FeedCheckTarget], skipped: [SkippedFeed], samples: HostSamples, clock: HealthRunClock,
    writer: LeasedJobWriter? = nil, plans: Bool = false, articles: ArticleBatchRecorder? = nil
  ) {
    self.articles = articles
    report.articles = articles?.recorder.counts
    report.lacksArticleCoverage = articles?.lacksCoverage ?? false
    self.samples = samples
    report.skipped = skipped
    // An array that grows is copied, and for a moment both copies are there.
    report.feeds.reserveCapacity(targets.count)
    if plans { report.plan = HealthUpdatePlan() }
    self.clock = clock
    self.writer = writer
    lastWrite = clock.now()
  }

  /// Passes on the results that became certain since the last call, if there are any.
  mutating func passReleased(to receive: ([FeedResult]) async throws -> Void) async throws {
    guard !released.isEmpty else { return }
    defer { released = [] }
    try await receive(released)
  }

  /// Returns false when the run must end, because of our own outage or because writing failed.
  mutating func take(_ event: FeedCheckEvent) async throws -> Bool {
    switch event {
    case .judged(let sample, let outage):
      if let outage { report.outage = outage } else { clear.insert(sample) }
      return try await settle(sample)
    case .checked(let check) where check.isLost:
      report.lost += 1
      return try await add(Entry(result: check.result.withoutVerdict), of: check.update.target.host)
    case .checked(let check):
      let entry = Entry(result: check.result, update: check.update, articles: check.articles)
      return try await add(entry, of: check.update.target.host)
    case .skipped(let feed, let host, let update):
      report.skipped.append(feed)
      return try await add(Entry(update: update), of: host)
    case .tick:
      try await writeIfDue()
      return report.writes.interruption == nil
    }
  }

  private mutating func add(_ entry: Entry, of host: String) async throws -> Bool {
    accounted += 1
    let sample = samples.sample(of: host)
    held[sample, default: []].append(entry)
    return try await settle(sample)
  }

  /// Writes the remaining results, also those of an interrupted run. After an outage, nothing more is recorded.
  mutating func close() async throws {
    for sample in held.keys.sorted() where report.writes.interruption == nil {
      if report.outage == nil, !clear.contains(sample) {
        _ = try await take(.judged(sample: sample, samples.outage(of: sample)))
      } else {
        _ = try await settle(sample)
      }
    }
    while !unwritten.isEmpty, report.writes.interruption == nil { try await writeOut() }
  }

  mutating func markInterrupted() { report.isInterrupted = true }

  private mutating func settle(_ sample: Int) async throws -> Bool {
    guard clear.contains(sample) || report.outage != nil else { return true }
    for entry in held.removeValue(forKey: sample) ?? [] {
      if report.outage != nil {
        entry.result.map { release($0.withoutVerdict) }
      } else {
        unwritten.append(entry)
        unwrittenItems += entry.articles?.itemsToStore ?? 0
      }
      if unwritten.count >= Self.batch || unwrittenItems >= Self.itemsInBatch { try await writeOut() }
    }
    try await writeIfDue()
    return report.outage == nil && report.writes.interruption == nil
  }

  private mutating func writeIfDue() async throws {
    if clock.now().since(lastWrite) >= Self.maxUnwrittenTime { try await writeOut() }
  }

  private mutating func writeOut() async throws {
    guard !unwritten.isEmpty, report.writes.interruption == nil else { return }
    lastWrite = clock.now()
    let batch = unwritten.prefix(Self.batch)
    unwritten.removeFirst(batch.count)
    unwrittenItems = 0
    let updates = await storeArticles(of: batch)
    for update in updates { report.plan?.add(update) }
    if let writer, report.writes.interruption == nil {
      report.writes.add(try await Self.write(updates, in: writer))
    }
    for entry in batch { entry.result.map { release($0) } }
  }

  /// Stores the articles of some feeds and returns the updates of their states.
  private mutating func storeArticles(of batch: ArraySlice<Entry>) async -> [FeedStateUpdate] {
    let (updates, writer) = (batch.compactMap(\.update), writer)
    guard let stored = await articles?.record(batch.compactMap(\.articles), through: writer) else {
      return updates
    }
    report.articles = articles?.recorder.counts
    report.articleDecisions = articles?.recorder.decisions ?? []
    report.plan?.add(articles: stored.changes)
    report.writes.add(stored.report)
    guard let articles else { return updates }
    return updates.map { articles.completed($0, after: stored) }
  }

  private static func write(_ updates: [FeedStateUpdate], in scope: LeasedJobWriter) async throws
    -> ChangeReport
  {
    let changes = updates.flatMap { update in update.changes.map { ($0, update) } }
    let byName = Dictionary(changes.map { ($0.0.recordName, $0.1) }, uniquingKeysWith: { $1 })
    return try await scope.apply(changes.map(\.0), policy: .reapply) { change, current in
      byName[change.recordName]?.change(change, from: current)
    }
  }

  private mutating func release(_ result: FeedResult) {
    report.feeds.append(result)
    released.append(result)
  }
}

extension FeedResult {
  /// The result as reported when the cause is ours: the observation without a verdict.
  fileprivate var withoutVerdict: FeedResult {
    var result = self
    result.status = .unknown
    if cause != nil { result.cause = .ours }
    result.statusSince = nil
    result.suggestedURL = nil
    result.uptimePercentage = nil
    result.falls = FallHistory()
    return result
  }
}
