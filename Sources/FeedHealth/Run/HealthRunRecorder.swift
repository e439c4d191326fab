internal import Articles
internal import CloudKitModel
internal import Diagnostics
internal import FeedState
internal import RecordChanges

/// Collects a run's results, reports and writes them. Holds back results until a local outage is ruled out. A result
/// is released only after it is written.
actor HealthRunRecorder {
  /// Ends a run because of our own outage, or because writing failed; the report says which.
  struct RunEnd: Error {}

  private struct Entry: Sendable {
    var result: FeedResult?
    var update: FeedStateUpdate?
    var articles: ArticleDocument?
    var items: Int { articles?.itemsToStore ?? 0 }
  }

  let samples: HostSamples
  private var report = HealthRunResult()
  /// The number of feeds checked or skipped, reported or not.
  private var accounted = 0
  private let total: Int
  /// The samples that may be recorded.
  private var clear: Set<Int> = []
  private var held: [Int: [Entry]] = [:]
  private var unwritten: [Entry] = []
  private var unwrittenItems = 0
  private var lastWrite: Duration
  /// The batch that is being written. It is not cancelled with the run.
  private var writing: Task<Void, any Error>?
  private let checker: FeedChecker
  private let writer: JobWriter?
  private let articles: ArticleRecorder?
  private let display: (any HealthRunDisplay)?

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
    _ feeds: FeedCheckTargetLoader.Loaded, _ checker: FeedChecker, _ samples: HostSamples,
    writer: JobWriter? = nil, plans: Bool = false, articles: ArticleRecorder? = nil,
    display: (any HealthRunDisplay)?
  ) {
    self.checker = checker
    self.samples = samples
    self.writer = writer
    self.articles = articles
    self.display = display
    total = feeds.due.count
    lastWrite = checker.clock.elapsed()
    report.skipped = feeds.skipped
    report.reading = feeds.reading
    report.readingBegan = feeds.readingBegan
    // An array that grows is copied, and for a moment both copies are there.
    report.feeds.reserveCapacity(total)
    if plans { report.plan = HealthUpdatePlan() }
    if articles != nil, let options = checker.options.articles {
      report.articles = ArticleCounts()
      // Where another program's validators say which documents are covered, no field of ours is needed.
      report.lacksArticleCoverage = !checker.options.mapping.keepsArticleCoverage && !options.mapping.isShared
    }
    display?.show(done: 0, of: total)
  }

  func record(_ check: FeedCheck) async throws {
    if check.isLost { report.lost += 1 }
    let entry =
      check.isLost
      ? Entry(result: check.result.withoutVerdict)
      : Entry(result: check.result, update: check.update, articles: check.articles)
    try await add(entry, of: check.update.target.host)
  }

  /// - Parameter update: what to record about a feed that was not checked; `nil` for nothing.
  func skip(_ feed: SkippedFeed, of host: String, _ update: FeedStateUpdate?) async throws {
    report.skipped.append(feed)
    try await add(Entry(update: update), of: host)
  }

  /// The sample has its verdict: what failed in it is our own network's fault, or, with `nil`, is not.
  ///
  /// - Parameter waiting: what waited for the verdict that the fault is ours.
  func judge(_ sample: Int, _ outage: LocalOutage?, _ waiting: [FeedResult] = []) async throws {
    if let outage { report.outage = outage } else { clear.insert(sample) }
    held[sample, default: []] += waiting.map { Entry(result: $0) }
    try await drain(sample)
    try goOn()
  }

  private func add(_ entry: Entry, of host: String) async throws {
    accounted += 1
    display?.show(done: accounted, of: total)
    let sample = samples.sample(of: host)
    held[sample, default: []].append(entry)
    try await drain(sample)
    try goOn()
  }

  /// Lets waiting results be written while no feed answers.
  func writeEverySecond() async throws {
    while true {
      try await Task.sleep(for: Self.maxUnwrittenTime)
      try await writeWhatIsDue()
      try goOn()
    }
  }

  /// Writes the remaining results, also those of an interrupted run. After an outage, nothing more is recorded.
  func close(isInterrupted: Bool) async throws -> HealthRunResult {
    report.isInterrupted = isInterrupted
    for sample in held.keys.sorted() where report.writes.interruption == nil {
      if report.outage == nil, !clear.contains(sample) {
        report.outage = samples.outage(of: sample)
        clear.insert(sample)
      }
      try await drain(sample)
    }
    try await writeBatches { !unwritten.isEmpty || writing != nil }
    if report.outage == nil { report.sharedPage = SharedPage(in: report.feeds, checker.options.thresholds) }
    return report
  }

  private func goOn() throws {
    guard report.outage == nil, report.writes.interruption == nil else { throw RunEnd() }
  }

  private func drain(_ sample: Int) async throws {
    if report.outage != nil {
      try release((held.removeValue(forKey: sample) ?? []).compactMap(\.result?.withoutVerdict))
    } else if clear.contains(sample) {
      let entries = held.removeValue(forKey: sample) ?? []
      unwritten += entries
      unwrittenItems += entries.reduce(0) { $0 + $1.items }
      try await writeWhatIsDue()
    }
  }

  private func writeWhatIsDue() async throws {
    try await writeBatches {
      unwritten.count >= Self.batch || unwrittenItems >= Self.itemsInBatch
        || !unwritten.isEmpty && checker.clock.elapsed() - lastWrite >= Self.maxUnwrittenTime
    }
  }

  /// Writes batches as long as one is due. Only one is written at a time, and the task that brings more waits, so that a
  /// fast network does not fill the memory with documents. What is due is asked again after each wait: another task may
  /// have written it, and what is left may not fill a request.
  private func writeBatches(while isDue: () -> Bool) async throws {
    while report.writes.interruption == nil, isDue() {
      if let writing { try await writing.value } else { try await writeBatch() }
    }
  }

  private func writeBatch() async throws {
    lastWrite = checker.clock.elapsed()
    var items = 0
    let batch = Array(
      unwritten.prefix(Self.batch).prefix { entry in
        defer { items += entry.items }
        return items < Self.itemsInBatch
      })
    unwritten.removeFirst(batch.count)
    unwrittenItems -= batch.reduce(0) { $0 + $1.items }
    let task = Task {
      defer { writing = nil }
      try await write(batch)
    }
    writing = task
    try await task.value
  }

  private func write(_ batch: [Entry]) async throws {
    let updates = await storeArticles(of: batch)
    report.plan?.updates += updates
    var unrecorded: Set<String> = []
    if let writer {
      let written =
        try await report.writes.interruption == nil
        ? Self.write(updates, through: writer)
        : ChangeReport(results: updates.flatMap(\.changes).map { ($0, .notAttempted) })
      report.writes.add(written)
      let left = Set(written.remaining.map(\.change.recordName))
      for update in updates where !left.isEmpty && !left.isDisjoint(with: update.changes.map(\.recordName)) {
        unrecorded.insert(update.target.recordName)
      }
    }
    try release(
      batch.compactMap(\.result).map { result in
        copy(of: result) { $0.isRecorded = !unrecorded.contains($0.recordName) }
      })
  }

  /// Stores the articles of some feeds before the states of these feeds, which say that they are stored.
  private func storeArticles(of batch: [Entry]) async -> [FeedStateUpdate] {
    let (updates, documents) = (batch.compactMap(\.update), batch.compactMap(\.articles))
    guard let articles, !documents.isEmpty else { return updates }
    do {
      let stored = try await articles.record(documents, through: writer)
      report.articles = await articles.counts
      report.articleDecisions = await articles.decisions
      report.plan?.articles += stored.changes
      report.writes.add(stored.report)
      return updates.map { update in
        stored.documents[update.target.recordName].map(update.covering) ?? update
      }
    } catch {
      report.writes.add(ChangeReport(interruption: error))
      return updates
    }
  }

  private static func write(_ updates: [FeedStateUpdate], through writer: JobWriter) async throws
    -> ChangeReport
  {
    let changes = updates.flatMap { update in update.changes.map { ($0, update) } }
    let byName = Dictionary(changes.map { ($0.0.recordName, $0.1) }, uniquingKeysWith: { $1 })
    return try await writer.apply(changes.map(\.0), policy: .reapply) { change, current in
      byName[change.recordName]?.change(change, from: current)
    }
  }

  private func release(_ results: [FeedResult]) throws {
    report.feeds += results
    if !results.isEmpty { try display?.show(results) }
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
    (result.uptimePercentage, result.uptimeChecks, result.refusedChecks) = (nil, 0, 0)
    result.falls = FallHistory()
    return result
  }
}
