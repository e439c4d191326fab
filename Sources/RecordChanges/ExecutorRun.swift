internal import CloudKitModel

/// A change on its way: where it stood in the caller's list, its latest form, and how often it was sent.
struct PendingChange {
  let index: Int
  var change: RecordChange
  var attempts = 0
}

/// The state of one executor run: what is still to be sent, and what is settled.
struct ExecutorRun {
  private let changes: [RecordChange]
  private var outcomes: [ChangeReport.Outcome]
  private var queue: [PendingChange]
  /// Smaller than the service's limit while a refused request is being halved.
  private var batchSize: Int?
  /// Of single records in a row, and how many of them.
  private var lastRefusal: (error: ServerError, count: Int)?
  var interruption: (any Error)?

  init(_ changes: [RecordChange]) {
    self.changes = changes
    outcomes = Array(repeating: .notAttempted, count: changes.count)
    queue = changes.enumerated().map { PendingChange(index: $0.offset, change: $0.element) }.reversed()
  }

  var settledCount: Int { changes.count - queue.count }
  var report: ChangeReport {
    ChangeReport(results: Array(zip(changes, outcomes)), interruption: interruption)
  }

  /// Takes the next batch off the queue, counting the attempt; `nil` when everything is settled.
  mutating func nextBatch(within limits: BatchLimits) -> [PendingChange]? {
    guard !queue.isEmpty else { return nil }
    var limits = limits
    if let batchSize { limits.operations = batchSize }
    let upcoming = queue.suffix(limits.operations).reversed().map(\.change)
    let count = upcoming.batchLength(within: limits)
    let batch = queue.suffix(count).reversed().map { pending in
      PendingChange(index: pending.index, change: pending.change, attempts: pending.attempts + 1)
    }
    queue.removeLast(count)
    return batch
  }

  mutating func settle(_ pending: PendingChange, _ outcome: ChangeReport.Outcome) {
    outcomes[pending.index] = outcome
  }

  func outcome(of pending: PendingChange) -> ChangeReport.Outcome { outcomes[pending.index] }

  /// Puts changes back to be sent next, in their order: what refers to them is still behind them.
  mutating func putBack(_ pending: [PendingChange]) { queue += pending.reversed() }

  /// Puts a refused batch back to be sent in halves.
  mutating func halve(_ batch: [PendingChange]) {
    batchSize = max(1, batch.count / 2)
    putBack(batch.map { PendingChange(index: $0.index, change: $0.change, attempts: $0.attempts - 1) })
  }

  mutating func batchWasAccepted() {
    batchSize = nil
    lastRefusal = nil
  }

  /// Whether so many single records were refused for the same reason that it is about all of them: sending the others
  /// one by one would take hours to say so.
  mutating func isHopeless(after refusal: ServerError) -> Bool {
    let count = lastRefusal?.error == refusal ? (lastRefusal?.count ?? 0) + 1 : 1
    lastRefusal = (refusal, count)
    return count >= 10
  }
}
