public import CloudKitModel
public import HTTPTransport
internal import RecordChanges

/// Checks the catalog's feeds: fetches them politely, judges them fairly, records what it learned.
///
/// State lives in FeedMetadata alone, so that any machine can run the check and a run that was cut off is finished
/// by running it again: feeds whose next check is not due are skipped. Two runs at once do each other no harm, as
/// every write is of computed fields only and goes through ``ChangeExecutor``.
public struct HealthCheck: Sendable {
  private let container: any Container
  private let transport: any HTTPTransport
  private let clock: HealthClock
  private let options: HealthOptions
  /// `nil` in a dry run.
  private let executor: ChangeExecutor?

  public init(
    container: any Container, transport: any HTTPTransport, clock: HealthClock,
    options: HealthOptions = HealthOptions()
  ) {
    self.container = container
    self.transport = transport
    self.clock = clock
    self.options = options
    executor =
      options.isDryRun
      ? nil
      : ChangeExecutor(container: container, options: .init(policy: .reapply), wait: clock.waitForContainer)
  }

  /// - Parameters:
  ///   - onProgress: called with the number of feeds that are done with, of all that are due.
  ///   - onResult: called with each feed's result as soon as it is certain that it will be recorded; in an outage
  ///     of our own, at the end.
  /// - Throws: what reading the container throws, ``HealthCheckError``, and what the callbacks throw. Failures of
  ///   feeds and of writes are in the report.
  public func run(
    onProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
    onResult: (FeedResult) async throws -> Void = { _ in }
  ) async throws -> HealthReport {
    let started = clock.now()
    let all = try await SubjectLoader(container: container, options: options).load()
    let (due, skipped) = split(all, at: started)
    onProgress(0, due.count)
    var ledger = RunLedger(
      due, skipped: skipped, thresholds: options.thresholds, clock: clock, executor: executor)
    let (events, continuation) = AsyncStream.makeStream(of: RunEvent.self)
    let crew = LaneCrew(
      examiner: FeedExaminer(transport: transport, clock: clock, options: options),
      robots: RobotsCache(transport: transport, policy: options.policy),
      deadline: options.budget.map { started + $0 }, events: continuation)
    // Leaving this scope early ends every transfer: a child task that nobody awaits is cancelled.
    async let _: Void = crew.run(due)
    for await event in events {
      guard try await ledger.take(event, onResult) else { break }
      onProgress(ledger.accounted, due.count)
    }
    try Task.checkCancellation()
    try await ledger.close()
    return ledger.report
  }

  private func split(_ subjects: [FeedSubject], at now: Timestamp) -> ([FeedSubject], [SkippedFeed]) {
    var due: [FeedSubject] = []
    var skipped: [SkippedFeed] = []
    for subject in subjects {
      if !options.force, let next = subject.metadata.nextCheck, next > now {
        skipped.append(SkippedFeed(subject, .notDue(until: next)))
      } else {
        due.append(subject)
      }
    }
    return (due, skipped)
  }
}
