/// A record of what a run is about to do and has done, kept where it survives the run.
public protocol ChangeJournal: Sendable {
  /// Called before a request is sent; must not return before the entry is safe.
  func willSend(_ changes: [RecordChange]) async throws
  /// Called when the outcome of each of those changes is known (`.notAttempted`: it will be sent again).
  func didSettle(_ settlements: [ChangeSettlement]) throws
}

/// What became of one change of a request.
public struct ChangeSettlement: Sendable {
  public var change: RecordChange
  public var outcome: ChangeReport.Outcome
  /// The record's tag after the write, as the reply gave it; `nil` without one.
  public var changeTag: String?
  /// The reply to an attempt was lost: when the record now has the values, this run may have written them.
  public var isUncertain = false
}
