package import CloudKitModel
package import Diagnostics
internal import SchemaLanguage

/// The outcome of every change that the executor was given, in the same order.
package struct ChangeReport: Sendable {
  package enum Outcome: Sendable, Hashable {
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

  package var results: [(change: RecordChange, outcome: Outcome)]
  /// What ended the run early, if anything did.
  package var interruption: (any Error)?
  /// The run in the history that can be undone; `nil` when nothing of it can.
  package var undoableRun: String?

  package init(results: [(change: RecordChange, outcome: Outcome)] = [], interruption: (any Error)? = nil) {
    self.results = results
    self.interruption = interruption
  }

  package var applied: Int { count { $0 == .applied } }
  package var alreadyApplied: Int { count { $0 == .alreadyApplied } }
  package var unknown: Int { count { $0 == .unknown } }
  package var notAttempted: Int { count { $0 == .notAttempted } }
  package var conflicts: Int { count { if case .conflict = $0 { true } else { false } } }
  package var failed: Int { count { if case .failed = $0 { true } else { false } } }

  /// Every change is in the container.
  package var isComplete: Bool {
    interruption == nil && remaining.isEmpty
  }

  package var inContainer: [RecordChange] {
    results.filter(\.outcome.isInContainer).map(\.change)
  }

  /// The changes that are not in the container, to be listed and tried again.
  package var remaining: [(change: RecordChange, outcome: Outcome)] {
    results.filter { !$0.outcome.isInContainer }
  }

  private func count(_ matches: (Outcome) -> Bool) -> Int { results.count { matches($0.outcome) } }

  mutating func nameRoles(in schema: Schema) {
    for (index, result) in results.enumerated() {
      guard case .failed(var refusal) = result.outcome, refusal.code == .accessDenied,
        let type = schema[recordType: result.change.recordType]
      else { continue }
      refusal.roles = type.customRoles(for: result.change.action == .create ? .create : .write)
      results[index].outcome = .failed(refusal)
    }
  }

  package var summary: WriteSummary {
    var summary = WriteSummary()
    summary.add(self)
    return summary
  }

  package var unknownPart: Tally { summary.unknownPart }
  package var status: ExitStatus { summary.status }
  /// Why some changes were not written; `nil` if all were.
  package var failure: CommandFailure? { summary.failure }
  package var remainingJSON: JSONValue { summary.remainingJSON }
}

/// The summary of a run's writes: counts of written records, and a list of the others.
package struct WriteSummary: Sendable {
  package private(set) var applied = 0
  package private(set) var alreadyApplied = 0
  /// The changes that are not in the container, to be listed and tried again.
  package private(set) var remaining: [(change: RecordChange, outcome: ChangeReport.Outcome)] = []
  package private(set) var interruption: (any Error)?

  package init() {}

  package mutating func add(_ report: ChangeReport) {
    applied += report.applied
    alreadyApplied += report.alreadyApplied
    remaining += report.remaining.map { change, outcome in
      // What the service says may have the name.
      guard change.isNamedByPerson, case .failed(var error) = outcome else { return (change, outcome) }
      error.reason = error.reason.replacing(change.recordName, with: "the record")
      return (change, .failed(error))
    }
    interruption = interruption ?? report.interruption
  }

  package mutating func add(_ other: WriteSummary) {
    applied += other.applied
    alreadyApplied += other.alreadyApplied
    remaining += other.remaining
    interruption = interruption ?? other.interruption
  }

  /// Every change is in the container.
  package var isComplete: Bool { remaining.isEmpty && interruption == nil }
  package var unknown: Int { remaining.count { $0.outcome == .unknown } }
  /// What follows each count of what was written: `, 130 sent, outcome unknown`, or nothing.
  package var unknownPart: Tally { unknown > 0 ? ", \(unknown) sent, outcome unknown" : "" }

  package var status: ExitStatus { status(leavingMore: false) }

  /// - Parameter leavesMore: besides these changes, something is left that needs a decision, such as a plan's conflicts.
  package func status(leavingMore leavesMore: Bool) -> ExitStatus {
    if let interruption { return CommandFailure(interruption).status(afterWriting: applied) }
    if isComplete { return leavesMore ? .partial : .done }
    let written = applied + alreadyApplied
    // However much was written: no run with this key finishes the rest.
    if remaining.allSatisfy({ $0.outcome.isDenied }), !leavesMore || written == 0 { return .denied }
    return written > 0 ? .partial : .failed
  }

  /// Why some changes were not written; `nil` if all were.
  package var failure: CommandFailure? {
    guard !isComplete else { return nil }
    let reasons = Set(remaining.map(\.outcome.explanation))
    var failure: CommandFailure
    if let interruption {
      failure = CommandFailure(interruption)
      failure.message += "\(unknownPart)"
    } else {
      guard let first = remaining.first else { return nil }
      failure = first.outcome.failure
      let name = remaining.count == 1 ? first.change.shownName : nil
      let verb = unknown == 0 ? "could not be" : "\(remaining.count == 1 ? "is" : "are") not known to be"
      failure.message =
        "\(counted(remaining.count, "record")) \(verb) written\(name.map { "; \($0)" } ?? "")"
      if reasons.count == 1 { failure.message += ": \(first.outcome.explanation)" }
    }
    failure.status = status
    if remaining.count > 1 {
      failure.details = remainingLines(withReasons: interruption != nil || reasons.count > 1)
    }
    return failure
  }

  private func remainingLines(withReasons: Bool) -> [String] {
    let shown = remaining.prefix(20)
    let lines = zip(shown, shown.map(\.change).shownNames()).map { entry, name in
      name + (withReasons ? ": \(entry.outcome.explanation)" : "")
    }
    return lines + (remaining.count > 20 ? ["… and \(remaining.count - 20) more"] : [])
  }

  /// The changes that are not in the container, as JSON.
  package var remainingJSON: JSONValue {
    .array(
      remaining.map { change, outcome in
        .object([
          "recordType": change.recordType.json,
          "recordName": change.isNamedByPerson ? nil : change.recordName.json,
          "reason": outcome.explanation.json,
        ])
      })
  }
}

extension ChangeReport.Outcome {
  fileprivate var failure: CommandFailure {
    switch self {
    case .failed(let error): CommandFailure(error)
    case .conflict: CommandFailure("", code: "conflict", hint: ServerError(.conflict, "").advice)
    case .applied, .alreadyApplied, .unknown, .notAttempted:
      CommandFailure("", hint: "Run the command again.")
    }
  }

  /// The outcome of the change, in words that follow the record's name.
  package var explanation: String {
    switch self {
    case .applied: "written"
    case .alreadyApplied: "was there already"
    case .conflict(let reason): "not written, because \(reason)"
    case .failed(let error): error.description
    case .unknown: "sent, outcome unknown"
    case .notAttempted: "not tried"
    }
  }

  fileprivate var isInContainer: Bool { self == .applied || self == .alreadyApplied }

  /// Why the container refused the change; `nil` if it did not.
  var refusal: ServerError? { if case .failed(let error) = self { error } else { nil } }

  /// The caller lacks the right to it.
  package var isDenied: Bool { refusal?.code == .accessDenied }
}
