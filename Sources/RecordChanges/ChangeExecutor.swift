public import CloudKitModel

/// The one way in which this tool writes records.
///
/// Takes changes in order, sends them in requests of permitted size with their change tags, reads every record's
/// outcome, and settles conflicts by reading the record again: a field is written at most once, a change that is
/// already there counts as done, and whatever could not be done is reported by name.
public struct ChangeExecutor: Sendable {
  public struct Options: Sendable {
    public var policy: ConflictPolicy
    public var limits: BatchLimits
    /// Times one change is sent before it is given up.
    public var attempts: Int

    public init(policy: ConflictPolicy, limits: BatchLimits = .service, attempts: Int = 5) {
      self.policy = policy
      self.limits = limits
      self.attempts = attempts
    }
  }

  private let container: any Container
  private let options: Options
  private let journal: (any ChangeJournal)?
  private let wait: @Sendable (Duration) async throws -> Void
  private let progress: @Sendable (_ settled: Int, _ total: Int) -> Void

  /// - Parameters:
  ///   - journal: told of every batch before it is sent and after its outcome is known.
  ///   - wait: how to let time pass when the container asks for it.
  ///   - progress: called after each request with the number of changes settled so far.
  public init(
    container: any Container, options: Options, journal: (any ChangeJournal)? = nil,
    wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    progress: @escaping @Sendable (_ settled: Int, _ total: Int) -> Void = { _, _ in }
  ) {
    self.container = container
    self.options = options
    self.journal = journal
    self.wait = wait
    self.progress = progress
  }

  /// Applies the changes. Does not throw: what went wrong stands in the report, beside what went well.
  public func apply(_ changes: [RecordChange]) async -> ChangeReport {
    var run = ExecutorRun(changes)
    do {
      while let batch = run.nextBatch(within: options.limits) {
        try Task.checkCancellation()
        try journal?.willSend(batch.map(\.change))
        try await send(batch, in: &run)
        try journal?.didSettle(batch.map { ($0.change.recordName, run.outcome(of: $0)) })
        progress(run.settledCount, changes.count)
      }
    } catch {
      run.interruption = error
    }
    return run.report
  }

  private func send(_ batch: [PendingChange], in run: inout ExecutorRun) async throws {
    let outcomes: [RecordOutcome]
    do {
      outcomes = try await container.modify(batch.map(\.change.operation))
    } catch let refusal as ServerError where refusal.isAboutContent {
      // Halving finds the record at fault and saves the others.
      guard batch.count == 1 else { return run.halve(batch) }
      run.settle(batch[0], .failed(refusal))
      if run.isHopeless(after: refusal) { throw refusal }
      return
    } catch let failure as ContainerFailure where failure.kind == .transport {
      // The reply is lost, perhaps not the request: what is in the container decides.
      return try await settleByReading(batch, in: &run) { _ in throw failure }
    }
    guard outcomes.count == batch.count else {
      let failure = ContainerFailure.outcomesMissing(outcomes.count, batch.count)
      return try await settleByReading(batch, in: &run) { _ in throw failure }
    }
    run.batchWasAccepted()
    try await settle(batch, outcomes, in: &run)
  }

  private func settle(
    _ batch: [PendingChange], _ outcomes: [RecordOutcome], in run: inout ExecutorRun
  ) async throws {
    var contested: [PendingChange] = []
    var busy: [PendingChange] = []
    var pause = Duration.zero
    for (pending, outcome) in zip(batch, outcomes) {
      switch outcome.error {
      case nil: run.settle(pending, .applied)
      case let error? where pending.change.isContested(by: error): contested.append(pending)
      case let error? where error.isTransient && pending.attempts < options.attempts:
        busy.append(pending)
        pause = max(pause, error.retryAfter ?? .seconds(1))
      case let error?: run.settle(pending, .failed(error))
      }
    }
    if !busy.isEmpty { try await wait(pause) }
    run.putBack(busy)
    try await settleByReading(contested, in: &run) { pending in
      .conflict("it keeps changing: \(pending.attempts) attempts were refused")
    }
  }

  /// Looks at the records as they are now and decides for each change.
  private func settleByReading(
    _ contested: [PendingChange], in run: inout ExecutorRun,
    exhausted: (PendingChange) throws -> ChangeReport.Outcome
  ) async throws {
    guard !contested.isEmpty else { return }
    let current = try await container.lookupAll(contested.map(\.change.recordName))
    var again: [PendingChange] = []
    for (pending, outcome) in zip(contested, current) {
      if let error = outcome.error, error.code != .notFound {
        run.settle(pending, .failed(error))
        continue
      }
      switch pending.change.resolve(against: outcome.record, policy: options.policy) {
      case .alreadyApplied: run.settle(pending, .alreadyApplied)
      case .conflict(let reason): run.settle(pending, .conflict(reason))
      case .retry where pending.attempts >= options.attempts: run.settle(pending, try exhausted(pending))
      case .retry(let change):
        again.append(PendingChange(index: pending.index, change: change, attempts: pending.attempts))
      }
    }
    run.putBack(again)
  }
}

extension RecordChange {
  /// The refusal may only mean that the record is no longer what it was when the change was planned.
  fileprivate func isContested(by error: ServerError) -> Bool {
    switch error.code {
    case .conflict, .exists: true
    case .notFound: action != .create
    default: false
    }
  }
}

extension ServerError {
  /// The request was refused for what is in it, so that a smaller one may pass.
  fileprivate var isAboutContent: Bool { code == .badRequest || code == .quotaExceeded }
}

extension ContainerFailure {
  fileprivate static func outcomesMissing(_ received: Int, _ expected: Int) -> ContainerFailure {
    ContainerFailure(
      .transport, "\(received) outcomes came back for \(expected) records",
      hint: "Run the command again: it finds what was written and finishes the rest.")
  }
}
