package import CloudKitModel

/// A change that is not decided yet: its position in the caller's list, its latest form, and how often it was sent.
struct PendingChange {
  let index: Int
  var change: RecordChange
  var attempts = 0
}

/// How the container stamps the records that a run writes: with the user of its key, and from a time on. Both are the
/// container's own, so that no clocks are compared. Never printed.
package struct RunAuthor: Sendable, Hashable {
  private var userRecordName: String
  /// When the run wrote something for the first time, such as its lease; `nil` when that is not known.
  private var since: Timestamp?

  /// The author of a record that this run wrote; `nil` without a stamp.
  ///
  /// - Parameter isFirst: whether the run wrote nothing before that record.
  package init?(_ stamp: RecordStamp?, isFirst: Bool = false) {
    guard let stamp else { return nil }
    userRecordName = stamp.userRecordName
    since = isFirst ? stamp.timestamp : nil
  }

  /// Whether this key created a record. True for a record without a stamp.
  package func created(_ record: Record) -> Bool {
    record.created.map { $0.userRecordName == userRecordName } ?? true
  }

  /// Whether this run made the last change of a record.
  ///
  /// - Parameter isUncertain: whether the run sent that change and the reply was lost. Otherwise an earlier run with the
  ///   same key may have made it.
  func wrote(_ record: Record, isUncertain: Bool) -> Bool {
    guard let stamp = record.modified, stamp.userRecordName == userRecordName else { return false }
    guard let since else { return isUncertain }
    return isUncertain ? stamp.timestamp >= since : stamp.timestamp > since
  }
}

/// The state of one executor run: the pending changes, and the outcomes of the others.
struct ChangeExecutorRun {
  let changes: [RecordChange]
  private var outcomes: [ChangeReport.Outcome]
  private var queue: [PendingChange]
  /// The change tags of written records, by index.
  private var tags: [Int: String] = [:]
  /// The changes whose reply was lost, or whose record the service reported as failed by itself: they may have been
  /// written.
  private var uncertain: Set<Int> = []
  private(set) var author: RunAuthor?
  /// The fields of new records that name new ones further back with the action VALIDATE, by index. The container takes
  /// them when those records exist.
  private let postponed: [Int: [String: FieldChange]]
  /// Smaller than the service's limit while a refused request is being halved.
  private var batchSize: Int?
  /// Larger requests were refused for their size.
  private var maxBatch = Int.max
  /// The refusal that all records of the last requests got, and how many requests in a row got it.
  private var lastRefusal: (error: ServerError, count: Int)?
  /// Time spent waiting since a record was last written.
  var waited = Duration.zero
  var interruption: (any Error)?

  init(_ changes: [RecordChange], author: RunAuthor?) {
    self.changes = changes
    self.author = author
    outcomes = changes.map { $0.lacksChangeTag ? .conflict(Self.untagged) : .notAttempted }
    let postponed = changes.fieldsOfLaterRecords
    self.postponed = postponed
    queue = changes.enumerated().filter { !$0.element.lacksChangeTag }.map { index, change in
      var change = change
      for field in (postponed[index] ?? [:]).keys { change.fields[field] = nil }
      return PendingChange(index: index, change: change)
    }.reversed()
  }

  /// Such a write could overwrite another client's: what the service does with it is not known
  /// (Documentation/reference/web-services.md#modify).
  private static let untagged =
    "the plan lacks its change tag, so a change of another client could be overwritten"

  var decidedCount: Int { changes.count - queue.count }
  var report: ChangeReport {
    ChangeReport(results: Array(zip(changes, outcomes)), interruption: interruption)
  }

  /// Takes the next batch off the queue, counting the attempt; `nil` when everything is decided.
  mutating func nextBatch(within limits: ModifyRequestLimits) -> [PendingChange]? {
    guard !queue.isEmpty else { return nil }
    var limits = limits
    limits.operations = min(batchSize ?? limits.operations, maxBatch)
    let upcoming = queue.suffix(limits.operations).reversed().map(\.change)
    let count = upcoming.batchLength(within: limits)
    let batch = queue.suffix(count).reversed().map { pending in
      var pending = pending
      pending.attempts += 1
      return pending
    }
    queue.removeLast(count)
    return batch
  }

  /// The updates that clear the fields of deletions before the first of these.
  var clearings: [PendingChange] {
    queue.reversed().compactMap { pending in
      pending.change.clearing.map { PendingChange(index: pending.index, change: $0) }
    }
  }

  /// The updates that complete the new records which were written without some of their fields.
  var postponedUpdates: [PendingChange] {
    postponed.sorted { $0.key < $1.key }.compactMap { index, fields in
      tags[index].map { tag in
        var update = changes[index]
        (update.action, update.changeTag, update.fields) = (.update, tag, fields)
        return PendingChange(index: index, change: update)
      }
    }
  }

  /// Takes over what became of ``clearings`` or ``postponedUpdates``. A record whose fields were not cleared is not deleted,
  /// and one whose fields were is half done until it is.
  mutating func take(_ apart: ChangeExecutorRun, of steps: [PendingChange]) {
    author = author ?? apart.author
    for (place, step) in steps.enumerated() {
      let isWritten = [.applied, .alreadyApplied].contains(apart.outcomes[place])
      tags[step.index] = apart.tags[place] ?? tags[step.index]
      guard changes[step.index].action == .delete else {
        outcomes[step.index] = isWritten ? .applied : apart.outcomes[place]
        continue
      }
      outcomes[step.index] = isWritten ? .unknown : apart.outcomes[place]
      guard let queued = queue.firstIndex(where: { $0.index == step.index }) else { continue }
      if isWritten {
        queue[queued].change.changeTag = apart.tags[place] ?? step.change.changeTag
      } else {
        queue.remove(at: queued)
      }
    }
  }

  /// Stops sending requests with this many records.
  mutating func keepBelow(_ count: Int) { maxBatch = max(1, count / 2) }

  mutating func conclude(_ pending: PendingChange, _ outcome: ChangeReport.Outcome) {
    if outcome.refusal?.code == .internalError { uncertain.insert(pending.index) }
    outcomes[pending.index] = outcome
  }

  mutating func concludeAsWritten(_ pending: PendingChange, tag: String?) {
    conclude(pending, postponed[pending.index] == nil ? .applied : .unknown)
    tags[pending.index] = tag
  }

  /// Records a change whose record has its values already: as written when the record was changed since it was planned,
  /// by this run. The stamp of a deleted record cannot be read: after a lost reply its deletion counts as this run's.
  mutating func concludeAsFound(_ pending: PendingChange, _ record: Record?) {
    let isUncertain = uncertain.contains(pending.index)
    let isOwn =
      record.map { record in
        record.changeTag != pending.change.changeTag
          && (author?.wrote(record, isUncertain: isUncertain) ?? isUncertain)
      } ?? isUncertain
    isOwn || postponed[pending.index] != nil
      ? concludeAsWritten(pending, tag: record?.changeTag) : conclude(pending, .alreadyApplied)
  }

  /// Records a change that contradicts another client's values. This run may have written the record before that
  /// client did; then the outcome is unknown.
  mutating func concludeAsConflict(_ pending: PendingChange, _ reason: String) {
    conclude(pending, uncertain.contains(pending.index) ? .unknown : .conflict(reason))
  }

  /// From now on it is not known what became of the changes, until the records are read.
  mutating func replyWasLost(to batch: [PendingChange]) {
    for pending in batch {
      conclude(pending, .unknown)
      uncertain.insert(pending.index)
    }
  }

  func outcome(of pending: PendingChange) -> ChangeReport.Outcome { outcomes[pending.index] }

  func journaled(of pending: PendingChange) -> JournaledOutcome {
    JournaledOutcome(
      change: pending.change, outcome: outcomes[pending.index], changeTag: tags[pending.index])
  }

  /// Puts changes back to the front of the queue, in their order. Changes that refer to their records come later.
  mutating func putBack(_ pending: [PendingChange]) {
    for pending in pending {
      conclude(pending, .notAttempted)
      uncertain.remove(pending.index)
    }
    queue += pending.reversed()
  }

  /// Puts a refused batch back to be sent in halves.
  mutating func halve(_ batch: [PendingChange]) {
    batchSize = max(1, batch.count / 2)
    putBack(
      batch.map { pending in
        var pending = pending
        pending.attempts -= 1
        return pending
      })
  }

  mutating func batchWasAccepted(_ outcomes: [RecordOutcome]) {
    batchSize = nil
    if outcomes.contains(where: { $0.error == nil }) { waited = .zero }
    author = author ?? outcomes.lazy.compactMap { RunAuthor($0.record?.modified) }.first
  }

  mutating func resetRefusals() { lastRefusal = nil }

  /// Whether enough consecutive requests were refused for the same reason to expect it for all others: sending them
  /// could take hours. Compares code and reason only, because every reply has a request id of its own.
  mutating func isHopeless(after refusal: ServerError) -> Bool {
    let count = lastRefusal.map { $0.error.isSame(as: refusal) ? $0.count + 1 : 1 } ?? 1
    lastRefusal = (refusal, count)
    return count >= 10
  }
}
