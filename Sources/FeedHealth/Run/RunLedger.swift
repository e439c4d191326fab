internal import CloudKitModel
internal import RecordChanges

/// Keeps a run's account: what may be reported and written now, and what must wait until our own outage is ruled
/// out.
struct RunLedger {
  private struct Held {
    var result: FeedResult?
    var update: StateUpdate?
  }

  private(set) var report = HealthReport()
  /// Feeds that a lane is done with, told of yet or not.
  private(set) var accounted = 0
  private var watch: OutageWatch
  private var held: [Int: [Held]] = [:]
  private var unwritten: [RecordChange] = []
  private var lastWrite: Timestamp
  private let clock: HealthClock
  private let executor: ChangeExecutor?

  /// Changes of two records a feed: a full request.
  private static let batch = ContainerLimits.operationsPerRequest
  /// What a killed run loses at most.
  private static let longestUnwritten = Duration.seconds(1)

  /// - Parameter executor: `nil` keeps what would be written as the report's plan.
  init(
    _ subjects: [FeedSubject], skipped: [SkippedFeed], thresholds: HealthThresholds, clock: HealthClock,
    executor: ChangeExecutor?
  ) {
    watch = OutageWatch(feedHosts: subjects.map(\.host), thresholds: thresholds)
    report.skipped = skipped
    report.plan = executor == nil ? HealthPlan() : nil
    self.clock = clock
    self.executor = executor
    lastWrite = clock.now()
  }

  /// False when the run must end: our own network is down, or nothing can be written any more.
  mutating func take(_ event: RunEvent, _ onResult: (FeedResult) async throws -> Void) async throws -> Bool {
    let sample: Int
    switch event {
    case .sighted(let host, let reached):
      sample = watch.sample(of: host)
      watch.sighted(host, reached: reached)
    case .checked(let check):
      let host = check.update.subject.host
      sample = watch.sample(of: host)
      held[sample, default: []].append(Held(result: check.result, update: check.update))
      account(for: host)
    case .skipped(let feed, let host, let update):
      sample = watch.sample(of: host)
      report.skipped.append(feed)
      held[sample, default: []].append(Held(update: update))
      account(for: host)
    }
    return try await settle(sample, onResult)
  }

  private mutating func account(for host: String) {
    accounted += 1
    watch.accounted(host)
  }

  /// Writes what is left.
  mutating func close() async throws {
    while !unwritten.isEmpty, report.writes.interruption == nil { try await writeOut() }
  }

  private mutating func settle(
    _ sample: Int, _ onResult: (FeedResult) async throws -> Void
  ) async throws -> Bool {
    let verdict = watch.verdict(onSample: sample)
    guard verdict != .open else { return true }
    report.localOutage = verdict == .outage
    for entry in held.removeValue(forKey: sample) ?? [] {
      if let result = entry.result {
        let told = verdict == .outage ? result.withoutVerdict : result
        report.feeds.append(told)
        try await onResult(told)
      }
      if verdict == .clear, let update = entry.update { record(update) }
      if unwritten.count >= Self.batch { try await writeOut() }
    }
    if clock.now().since(lastWrite) >= Self.longestUnwritten { try await writeOut() }
    return verdict == .clear && report.writes.interruption == nil
  }

  private mutating func record(_ update: StateUpdate) {
    if executor == nil { report.plan?.add(update) } else { unwritten += update.changes }
  }

  private mutating func writeOut() async throws {
    lastWrite = clock.now()
    guard let executor, !unwritten.isEmpty, report.writes.interruption == nil else { return }
    // A feed has one change or two: what is over would cost a request of its own.
    let batch = unwritten.prefix(Self.batch)
    unwritten.removeFirst(batch.count)
    report.writes.add(await executor.apply(Array(batch)))
  }
}

extension FeedResult {
  /// As told in an outage of our own: what was seen, but the status from before.
  fileprivate var withoutVerdict: FeedResult {
    var result = self
    result.status = previousStatus ?? .unknown
    result.statusSince = nil
    result.suggestedURL = nil
    result.uptimePercentage = nil
    return result
  }
}
