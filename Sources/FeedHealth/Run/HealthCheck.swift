public import CloudKitModel
public import HTTPTransport
public import RecordChanges

/// Checks the catalog's feeds: fetches them, assesses them, and records the result.
///
/// All state lives in FeedMetadata, so any machine can run the check. Running it again finishes an interrupted run,
/// because feeds that are not due are skipped. Writes touch computed fields only and go through the
/// write session, which keeps two checks apart by a lease.
public struct HealthCheck: Sendable {
  private let container: any Container
  private let transport: any HTTPTransport
  private let clock: HealthClock
  private let options: HealthOptions
  /// `nil` in a dry run.
  private let session: WriteSession?

  /// - Parameter session: writes the results; without one nothing is written.
  public init(
    container: any Container, transport: any HTTPTransport, clock: HealthClock,
    options: HealthOptions = HealthOptions(), session: WriteSession?
  ) {
    self.container = container
    self.transport = transport
    self.clock = clock
    self.options = options
    self.session = options.isDryRun ? nil : session
  }

  /// - Parameters:
  ///   - onProgress: called with the number of feeds checked so far and the number due.
  ///   - onResult: called with each result as soon as it is certain to be recorded; during our own outage, at the end.
  /// - Throws: errors of reading the container, `LeaseError`, ``HealthCheckError``, and errors of the callbacks. Failures of feeds and
  ///   of writes are in the report.
  public func run(
    onProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
    onResult: (FeedResult) async throws -> Void = { _ in }
  ) async throws -> HealthReport {
    guard let session else { return try await check(in: nil, onProgress, onResult) }
    return try await session.run { try await check(in: $0, onProgress, onResult) }
  }

  private func check(
    in scope: WriteScope?, _ onProgress: (_ done: Int, _ total: Int) -> Void,
    _ onResult: (FeedResult) async throws -> Void
  ) async throws -> HealthReport {
    let started = clock.now()
    let all = try await TargetLoader(container: container, options: options).load()
    let (due, skipped) = split(all, at: started)
    onProgress(0, due.count)
    var recorder = HealthRunRecorder(
      due, skipped: skipped, thresholds: options.thresholds, clock: clock, scope: scope)
    let (events, continuation) = AsyncStream.makeStream(of: FeedCheckEvent.self)
    let scheduler = FeedCheckScheduler(
      checker: FeedChecker(transport: transport, clock: clock, options: options),
      robots: RobotsCache(transport: transport, policy: options.policy),
      deadline: options.budget.map { started + $0 }, events: continuation)
    // Leaving this scope early cancels the child task, which ends every transfer.
    async let _: Void = scheduler.run(due)
    for await event in events {
      guard try await recorder.take(event, onResult) else { break }
      onProgress(recorder.accounted, due.count)
    }
    try Task.checkCancellation()
    try await recorder.close()
    scope?.memory = recorder.report.memory(at: clock.now())
    return recorder.report
  }

  private func split(_ targets: [FeedCheckTarget], at now: Timestamp) -> ([FeedCheckTarget], [SkippedFeed]) {
    var due: [FeedCheckTarget] = []
    var skipped: [SkippedFeed] = []
    for target in targets {
      if !options.force, let next = target.metadata.nextCheck, next > now {
        skipped.append(SkippedFeed(target, .notDue(until: next)))
      } else {
        due.append(target)
      }
    }
    return (due, skipped)
  }
}
