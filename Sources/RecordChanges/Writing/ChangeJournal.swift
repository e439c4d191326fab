/// A log of what a run is about to write and has written, which survives a crash.
public protocol ChangeJournal: Sendable {
  /// Called before a request is sent; must not return before the entry is safe.
  func willSend(_ changes: [RecordChange]) async throws
  /// Called when the outcome of each of those changes is known (`.notAttempted`: it will be sent again).
  func didSettle(_ settlements: [JournaledOutcome]) throws
}

/// The outcome of one change in a request, for the journal.
public struct JournaledOutcome: Sendable {
  public var change: RecordChange
  public var outcome: ChangeReport.Outcome
  /// The record's tag after the write, as the reply gave it; `nil` without one.
  public var changeTag: String?
  /// The reply to an attempt was lost. If the record now has the values, this run may have written them.
  public var isUncertain = false
}
