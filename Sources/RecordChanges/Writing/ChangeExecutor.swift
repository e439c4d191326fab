package import CloudKitModel
internal import Diagnostics

/// Sends record changes to a container. All writes of this tool go through it.
///
/// Sends the changes in order, in requests of permitted size, with change tags. Checks the outcome of every record,
/// and resolves conflicts by reading the record again: no field is written twice, a change that the record already
/// has counts as done, and every change that failed is reported by name.
package struct ChangeExecutor: Sendable {
  package typealias Derivation = @Sendable (_ change: RecordChange, _ current: Record) -> RecordChange?

  let container: any Container
  let policy: ConflictPolicy
  /// How the container stamps what this run writes; `nil` when that is not known yet.
  var author: RunAuthor?
  /// Computes a change again from the current record, for values that depend on it, such as counters; `nil` if nothing is
  /// left to write. Without one a change's own values are written again.
  var derivation: Derivation?
  /// Keeps every batch before it is sent, and its outcome when that is known.
  var journal: RunRecorder?
  /// Lets time pass while the container is busy.
  var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  var waits = WaitReporter.silent
  /// Evenly from 0...1.
  var randomShare: @Sendable () -> Double = { Double.random(in: 0...1) }
  /// Called after each request with the number of changes decided so far.
  var progress: @Sendable (_ decided: Int, _ total: Int) -> Void = { _, _ in }

  /// Applies the changes. Does not throw: the report has the failures as well as the successes.
  package func apply(_ changes: [RecordChange]) async -> ChangeReport {
    var run = ChangeExecutorRun(changes, author: author)
    do {
      try journal?.intend(changes)
      while let batch = run.nextBatch() {
        try Task.checkCancellation()
        try await journal?.willSend(batch.map(\.whole))
        let sending: (any Error)?
        do {
          try await send(batch, in: &run)
          sending = nil
        } catch { sending = error }
        try journal?.didRecord(batch.map { run.entry(of: $0) })
        if let sending { throw sending }
        progress(run.decidedCount, changes.count)
      }
    } catch {
      run.interruption = error
    }
    return run.report
  }

  private func send(_ batch: [PendingChange], in run: inout ChangeExecutorRun) async throws {
    let outcomes: [RecordOutcome]
    do {
      outcomes = try await container.modify(batch.map(\.change.operation))
      guard outcomes.count == batch.count else {
        throw ContainerFailure.outcomesMissing(outcomes.count, batch.count)
      }
    } catch let refusal as ServerError where refusal.isAboutContent {
      return try divide(batch, refusal, in: &run)
    } catch let failure as ContainerFailure where failure.kind == .tooLarge {
      run.keepBelow(batch.count)
      return try divide(batch, ServerError(.requestTooLarge, failure.message), in: &run)
    } catch let failure as ContainerFailure where failure.leavesWriteOpen {
      // The request may have succeeded although its reply was lost. Read the records to find out.
      run.replyWasLost(to: batch)
      let again = try await decideByReading(batch, in: &run) { _ in nil }
      guard try await pause("service unavailable", before: again, as: RetryPolicy.lostReplies, in: &run)
      else { throw failure.afterAllAttempts }
      return run.putBack(again)
    } catch let cancellation as CancellationError {
      run.replyWasLost(to: batch)
      throw cancellation
    }
    try await conclude(batch, outcomes, in: &run)
  }

  /// Sends a refused batch in halves, to find the record at fault and write the others.
  private func divide(_ batch: [PendingChange], _ refusal: ServerError, in run: inout ChangeExecutorRun)
    throws
  {
    guard batch.count == 1 else { return run.halve(batch) }
    run.conclude(batch[0], .failed(refusal))
    if run.isHopeless(after: refusal) { throw refusal }
  }

  private func conclude(
    _ batch: [PendingChange], _ outcomes: [RecordOutcome], in run: inout ChangeExecutorRun
  ) async throws {
    var contested: [PendingChange] = []
    var doubtful: [PendingChange] = []
    var busy: [(pending: PendingChange, error: ServerError)] = []
    var lacking: [(pending: PendingChange, error: ServerError)] = []
    run.batchWasAccepted(outcomes)
    for (pending, outcome) in zip(batch, outcomes) {
      switch outcome.error {
      case nil: run.concludeAsWritten(pending, tag: outcome.record?.changeTag)
      case let error? where pending.change.isContested(by: error): contested.append(pending)
      case let error? where error.isTransient: busy.append((pending, error))
      case let error?:
        run.conclude(pending, .failed(error))
        if error.code == .internalError { doubtful.append(pending) }
        if error.code == .validatingReferenceError { lacking.append((pending, error)) }
      }
    }
    // The service may have failed after it wrote the record.
    let reported = zip(batch, outcomes).reduce(into: [:]) { $0[$1.0.index] = $1.1.error }
    _ = try await decideByReading(doubtful, in: &run) { pending in reported[pending.index].map { .failed($0) }
    }
    let refusals = batch.compactMap { run.outcome(of: $0).refusal }
    let common = refusals.first.flatMap { first in refusals.allSatisfy(first.isSame) ? first : nil }
    if let common, refusals.count == batch.count {
      if run.isHopeless(after: common) { throw common }
    } else {
      run.resetRefusals()
    }
    let again = try await decideByReading(contested, in: &run) { pending in
      RetryPolicy.records.permits(attemptAfter: pending.attempts)
        ? nil : .conflict("it keeps changing: \(pending.attempts) attempts were refused")
    }
    // What they refer to may be among the records that are sent again.
    if !(again + busy.map(\.pending)).isEmpty {
      busy += lacking.filter { RetryPolicy.records.permits(attemptAfter: $0.pending.attempts) }
    }
    try await wait(for: busy, in: &run)
    run.putBack((again + busy.map(\.pending)).sorted { $0.index < $1.index })
  }

  /// Waits for as long as the container asks. Throws when that is beyond the run's patience.
  private func wait(
    for busy: [(pending: PendingChange, error: ServerError)], in run: inout ChangeExecutorRun
  ) async throws {
    let retryAfter = busy.compactMap(\.error.retryAfter).max()
    let hasPatience = try await pause(
      "container busy", before: busy.map(\.pending), retryAfter, as: RetryPolicy.records, in: &run)
    guard !hasPatience else { return }
    for (pending, error) in busy { run.conclude(pending, .failed(error)) }
    let records = busy.count == 1 ? "1 record" : "\(busy.count) records"
    let reason = busy.first.map { ": \($0.error)" } ?? ""
    throw ContainerFailure.unavailable(
      "the container is too busy and refused \(records)\(reason)", retryAfter: retryAfter)
  }

  /// Waits before the changes are sent again. False when their attempts or the run's patience are used up.
  private func pause(
    _ reason: String, before again: [PendingChange], _ retryAfter: Duration? = nil, as policy: RetryPolicy,
    in run: inout ChangeExecutorRun
  ) async throws -> Bool {
    guard let attempt = again.map(\.attempts).max() else { return true }
    let pause = policy.wait(
      afterAttempt: attempt, retryAfter: retryAfter, waited: run.waited, share: randomShare())
    guard let pause else { return false }
    let wait = Wait(
      reason, detail: "\(reason), \(counted(again.count, "change")) to send again", elapsed: run.waited,
      pause: pause,
      limit: policy.longestWaits(
        afterAttempt: attempt, pause, retryAfter: retryAfter, waited: run.waited))
    run.waited += pause
    try await waits.during(wait) { try await self.wait(pause) }
    return true
  }

  /// Reads the records as they are, and decides from them what became of each change.
  ///
  /// - Parameter unresolved: the outcome of a change that its record does not have; `nil` sends the change again.
  /// - Returns: the changes to send again.
  private func decideByReading(
    _ contested: [PendingChange], in run: inout ChangeExecutorRun,
    unresolved: (PendingChange) throws -> ChangeReport.Outcome?
  ) async throws -> [PendingChange] {
    guard !contested.isEmpty else { return [] }
    let changes = contested.map(\.change)
    let keys = Set(changes.flatMap(\.fields.keys)).sorted()
    let current = try await container.lookupAll(
      changes.map(\.recordName), desiredKeys: derivation == nil ? keys : nil)
    var again: [PendingChange] = []
    for (pending, outcome) in zip(contested, current) {
      if let error = outcome.error, error.code != .notFound {
        run.conclude(pending, .failed(error))
        continue
      }
      switch resolve(pending.change, against: outcome.record) {
      case .alreadyApplied: run.concludeAsFound(pending, outcome.record)
      case .conflict(let reason): run.concludeAsConflict(pending, reason)
      case .retry(let change):
        if let decided = try unresolved(pending) {
          run.conclude(pending, decided)
        } else {
          var pending = pending
          pending.change = change
          again.append(pending)
        }
      }
    }
    return again
  }

  private func resolve(_ change: RecordChange, against current: Record?) -> ChangeResolution {
    let resolution = change.resolve(against: current, policy: policy)
    guard case .retry = resolution, let current, let derivation else { return resolution }
    guard var derived = derivation(change, current) else { return .alreadyApplied }
    derived.changeTag = current.changeTag
    return .retry(derived)
  }
}

extension ChangeExecutor {
  package init(container: any Container, policy: ConflictPolicy) {
    self.init(container: container, policy: policy, author: nil)
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
  /// The service did not answer any attempt. As for a query, the next run is the one to continue.
  fileprivate var afterAllAttempts: ContainerFailure {
    kind == .outcomeUnknown ? .unavailable(message, retryAfter: nil, hint: hint) : self
  }

  fileprivate static func outcomesMissing(_ received: Int, _ expected: Int) -> ContainerFailure {
    ContainerFailure(
      .outcomeUnknown, "\(received) results were returned for \(expected) records",
      hint: "Run the command again: it finds what was written and finishes the rest.")
  }
}
