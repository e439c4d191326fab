internal import CloudKitModel
internal import RecordChanges

/// Collects a run's results: reports and writes them, and holds back those that must wait until our own outage is ruled
/// out.
struct HealthRunRecorder {
  private struct Held {
    var result: FeedResult?
    var update: StateUpdate?
  }

  private(set) var report = HealthReport()
  /// The number of feeds checked or skipped, reported or not.
  private(set) var accounted = 0
  private var watch: OutageDetector
  private var held: [Int: [Held]] = [:]
  private var unwritten: [(change: RecordChange, update: StateUpdate)] = []
  private var lastWrite: Timestamp
  private let clock: HealthClock
  private let scope: WriteScope?

  /// Changes of two records a feed: a full request.
  private static let batch = ContainerLimits.operationsPerRequest
  /// The most work that a killed run loses.
  private static let maxUnwrittenTime = Duration.seconds(1)

  /// - Parameter scope: `nil` in a dry run, which keeps the changes as the report's plan.
  init(
    _ targets: [FeedCheckTarget], skipped: [SkippedFeed], thresholds: HealthThresholds, clock: HealthClock,
    scope: WriteScope?
  ) {
    watch = OutageDetector(feedHosts: targets.map(\.host), thresholds: thresholds)
    report.skipped = skipped
    report.plan = scope == nil ? HealthPlan() : nil
    self.clock = clock
    self.scope = scope
    lastWrite = clock.now()
  }

  /// Returns false when the run must end, because of our own outage or because writing failed.
  mutating func take(_ event: FeedCheckEvent, _ onResult: (FeedResult) async throws -> Void) async throws
    -> Bool
  {
    let sample: Int
    switch event {
    case .requestEnded(let host, let reached):
      sample = watch.sample(of: host)
      watch.requestEnded(host, reached: reached)
    case .checked(let check):
      let host = check.update.target.host
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
        let reported = verdict == .outage ? result.withoutVerdict : result
        report.feeds.append(reported)
        try await onResult(reported)
      }
      if verdict == .clear, let update = entry.update { record(update) }
      if unwritten.count >= Self.batch { try await writeOut() }
    }
    if clock.now().since(lastWrite) >= Self.maxUnwrittenTime { try await writeOut() }
    return verdict == .clear && report.writes.interruption == nil
  }

  private mutating func record(_ update: StateUpdate) {
    guard scope != nil else { return report.plan?.add(update) ?? () }
    unwritten += update.changes.map { ($0, update) }
  }

  private mutating func writeOut() async throws {
    lastWrite = clock.now()
    guard let scope, !unwritten.isEmpty, report.writes.interruption == nil else { return }
    // A feed has one or two changes; sending more than a full request would cost another one.
    let batch = unwritten.prefix(Self.batch)
    unwritten.removeFirst(batch.count)
    let updates = Dictionary(batch.map { ($0.change.recordName, $0.update) }, uniquingKeysWith: { $1 })
    report.writes.add(
      try await scope.apply(batch.map(\.change), policy: .reapply) { change, current in
        updates[change.recordName]?.change(change, from: current)
      })
  }
}

extension FeedResult {
  /// The result as reported during our own outage: the observation, but the previous status.
  fileprivate var withoutVerdict: FeedResult {
    var result = self
    result.status = previousStatus ?? .unknown
    result.statusSince = nil
    result.suggestedURL = nil
    result.uptimePercentage = nil
    return result
  }
}
