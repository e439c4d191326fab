package import CloudKitModel
internal import Diagnostics

/// A change that is not decided yet: its position in the caller's list, its latest form, and how often it was sent.
///
/// A circle of references with the action VALIDATE takes some changes apart. The steps go in requests of their own: what the
/// service does with both steps of a change in one is not known.
struct PendingChange {
  let index: Int
  /// 0 clears the fields of deletions, 1 writes, 2 writes what names the new records of 1. All of one is sent before the next.
  private(set) var phase = 1
  var change: RecordChange
  var attempts = 0
  private(set) var next: RecordChange?
  /// The step before this one, which was written.
  private(set) var earlier: RecordChange?

  /// - Parameter later: the fields that name new records further back in the list.
  init(index: Int, _ change: RecordChange, later: [String: FieldChange]) {
    self.index = index
    self.change = change
    if let clearing = change.clearing {
      (phase, self.change, next) = (0, clearing, change)
    } else if change.action == .update, !later.isEmpty {
      phase = 2
    } else if !later.isEmpty {
      self.change.fields = change.fields.filter { later[$0.key] == nil }
      next = RecordChange(
        .update, recordType: change.recordType, recordName: change.recordName, label: change.label,
        fields: later)
    }
  }

  /// What the history keeps, from which an undo finishes what was cut off between two steps: the new record with all fields
  /// so far, or the deletion.
  var whole: RecordChange {
    if let next, isClearing { return next }
    guard change.action != .delete, var whole = earlier else { return change }
    whole.fields.merge(change.fields) { $1 }
    return whole
  }

  /// The next step; `nil` without one, or where the record's change tag is not known.
  ///
  /// - Parameter tag: the record's after this step.
  func following(_ tag: String?) -> PendingChange? {
    guard let next, let tag = tag ?? change.changeTag else { return nil }
    var following = self
    following.phase += 1
    (following.change, following.next, following.earlier, following.attempts) = (next, nil, change, 0)
    following.change.changeTag = tag
    return following
  }

  var isClearing: Bool { phase == 0 }

  func precedes(_ other: PendingChange) -> Bool { (phase, index) < (other.phase, other.index) }
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
  /// The next one is last.
  private var queue: [PendingChange]
  /// The change tags of written records, by index.
  private var tags: [Int: String] = [:]
  /// The changes whose reply was lost, or whose record the service reported as failed by itself: they may have been
  /// written.
  private var uncertain: Set<Int> = []
  private(set) var author: RunAuthor?
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
    let later = changes.fieldsOfLaterRecords
    queue = changes.enumerated().filter { !$0.element.lacksChangeTag }.map { index, change in
      PendingChange(index: index, change, later: later[index] ?? [:])
    }.sorted { $1.precedes($0) }
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
  mutating func nextBatch() -> [PendingChange]? {
    guard let phase = queue.last?.phase else { return nil }
    let limit = min(batchSize ?? ContainerLimits.operationsPerRequest, maxBatch)
    let upcoming = queue.suffix(limit).reversed().prefix { $0.phase == phase }.map(\.change)
    let count = upcoming.batchLength()
    let batch = queue.suffix(count).reversed().map { pending in
      return copy(of: pending) { $0.attempts += 1 }
    }
    queue.removeLast(count)
    return batch
  }

  /// Stops sending requests with this many records.
  mutating func keepBelow(_ count: Int) { maxBatch = max(1, count / 2) }

  mutating func conclude(_ pending: PendingChange, _ outcome: ChangeReport.Outcome) {
    if outcome.refusal?.code == .internalError { uncertain.insert(pending.index) }
    outcomes[pending.index] = outcome
  }

  /// Records a step as written. The outcome of the change is unknown until its last step is done.
  mutating func concludeAsWritten(_ pending: PendingChange, tag: String?) {
    conclude(pending, pending.next == nil ? .applied : .unknown)
    tags[pending.index] = tag
    guard let next = pending.following(tag) else { return }
    uncertain.remove(pending.index)
    queue.insert(next, at: queue.partitioningIndex { $0.precedes(next) })
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
    let isStep = pending.next != nil || pending.earlier != nil && pending.change.action != .delete
    guard isOwn || isStep else { return conclude(pending, .alreadyApplied) }
    // A record that another client changed is deleted only as it was planned.
    concludeAsWritten(pending, tag: isOwn || !pending.isClearing ? record?.changeTag : nil)
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

  /// A change of which only an earlier step is written stays unknown in the history, whatever became of the next.
  func entry(of pending: PendingChange) -> RunRecord.Entry {
    let outcome = outcomes[pending.index].recorded
    let isHalf = pending.earlier != nil && !outcome.isDone
    return RunRecord.Entry(
      change: pending.whole, outcome: isHalf ? .unknown : outcome, tagAfter: tags[pending.index])
  }

  /// Puts changes back to the front of the queue, in their order. Changes that refer to their records come later.
  mutating func putBack(_ pending: [PendingChange]) {
    for pending in pending {
      conclude(pending, pending.earlier == nil ? .notAttempted : .unknown)
      uncertain.remove(pending.index)
    }
    queue += pending.reversed()
  }

  mutating func halve(_ batch: [PendingChange]) {
    batchSize = max(1, batch.count / 2)
    putBack(
      batch.map { pending in
        return copy(of: pending) { $0.attempts -= 1 }
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
