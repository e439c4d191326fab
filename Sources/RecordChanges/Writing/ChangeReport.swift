public import CloudKitModel

/// The outcome of every change that the executor was given, in the same order.
public struct ChangeReport: Sendable {
  /// The outcome of one change.
  public enum Outcome: Sendable, Hashable {
    case applied
    /// Nothing was written, because the record already had the values.
    case alreadyApplied
    /// A conflict with a write of another client; the text completes "… because".
    case conflict(String)
    case failed(ServerError)
    /// It was sent, and the run ended before it was known whether it was carried out.
    case unknown
    /// The run ended before the change was sent.
    case notAttempted
  }

  public var results: [(change: RecordChange, outcome: Outcome)]
  /// What ended the run early, if anything did.
  public var interruption: (any Error)?
  /// The run in the history that can be undone; `nil` when nothing of it can.
  public var undoableRun: String?

  public init(results: [(change: RecordChange, outcome: Outcome)] = [], interruption: (any Error)? = nil) {
    self.results = results
    self.interruption = interruption
  }

  public var applied: Int { count { $0 == .applied } }
  public var alreadyApplied: Int { count { $0 == .alreadyApplied } }
  /// Sent, outcome unknown.
  public var unknown: Int { count { $0 == .unknown } }
  public var notAttempted: Int { count { $0 == .notAttempted } }
  public var conflicts: Int { count { if case .conflict = $0 { true } else { false } } }
  public var failed: Int { count { if case .failed = $0 { true } else { false } } }

  /// Every change is in the container.
  public var isComplete: Bool {
    interruption == nil && results.allSatisfy { $0.outcome == .applied || $0.outcome == .alreadyApplied }
  }

  /// The changes that are not in the container, to be listed and tried again.
  public var remaining: [(change: RecordChange, outcome: Outcome)] {
    results.filter { $0.outcome != .applied && $0.outcome != .alreadyApplied }
  }

  public mutating func merge(_ other: ChangeReport) {
    results += other.results
    interruption = interruption ?? other.interruption
    undoableRun = undoableRun ?? other.undoableRun
  }

  private func count(_ matches: (Outcome) -> Bool) -> Int { results.count { matches($0.outcome) } }
}
