/// A record of what a run is about to do and has done, kept where it survives the run.
public protocol ChangeJournal: Sendable {
  /// Called before a request is sent; must not return before the entry is safe.
  func willSend(_ changes: [RecordChange]) throws
  /// Called when the outcome of each of those changes is known (`.notAttempted`: it will be sent again).
  func didSettle(_ outcomes: [(recordName: String, outcome: ChangeReport.Outcome)]) throws
}
