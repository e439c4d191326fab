internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import Platform
internal import RecordChanges

extension Session {
  /// Writes changes the one way there is: under the lock, with a journal, through the executor.
  func apply(
    _ changes: [RecordChange], to container: any Container, policy: ConflictPolicy, command: String
  ) async throws -> ChangeReport {
    guard !changes.isEmpty else { return ChangeReport() }
    let folder = try StateFolder.open(stateDirectory, making: true)
    let lock = try RunLock(in: folder, command: command)
    defer { extendLifetime(lock) }
    let journals = try folder.folder("journal")
    let unfinished = try JournalFile.unfinished(of: command, in: journals, target: target)
    if !unfinished.isEmpty { note("An earlier run was cut off; this one finishes its work.") }
    let journal = try JournalFile(
      in: journals, command: command, target: target, changes: changes.count, now: now)
    let executor = ChangeExecutor(
      container: container, options: .init(policy: policy), journal: journal, wait: waitForContainer,
      progress: progress(of: command))
    let report = await executor.apply(changes)
    do {
      try journal.end(report)
      if report.isComplete { try JournalFile.close(unfinished, in: journals) }
    } catch {
      // What was written is told all the same.
      note("warning: the journal could not be ended: \(CommandFailure(error).message)")
    }
    return report
  }
}

/// How writing went, whoever kept the account.
protocol WriteAccount {
  var applied: Int { get }
  var alreadyApplied: Int { get }
  var isComplete: Bool { get }
  var remaining: [(change: RecordChange, outcome: ChangeReport.Outcome)] { get }
  var interruption: (any Error)? { get }
}

extension ChangeReport: WriteAccount {}
extension HealthReport.WriteSummary: WriteAccount {}

extension WriteAccount {
  /// The exit status this account means.
  var status: ExitStatus {
    if let interruption {
      let failure = CommandFailure(interruption)
      return failure.status == .failed && applied > 0 ? .partial : failure.status
    }
    if isComplete { return .done }
    if applied + alreadyApplied > 0 { return .partial }
    return remaining.allSatisfy { $0.outcome.isDenied } ? .denied : .failed
  }

  /// Why something is left; `nil` when nothing is.
  var failure: CommandFailure? {
    guard interruption != nil || !isComplete else { return nil }
    var failure: CommandFailure
    if let interruption {
      failure = CommandFailure(interruption)
    } else {
      guard let first = remaining.first else { return nil }
      failure = first.outcome.failure
      failure.message =
        "\(counted(remaining.count, "record")) could not be written; \(first.change.recordName): "
        + first.outcome.explanation
    }
    if remaining.count > 1 { failure.details = remainingLines }
    return failure
  }

  /// What is not in the container, a line a record.
  private var remainingLines: [String] {
    let lines = remaining.prefix(20).map { change, outcome in
      "\(change.recordType) \(change.label ?? change.recordName): \(outcome.explanation)"
    }
    return lines + (remaining.count > 20 ? ["… and \(remaining.count - 20) more"] : [])
  }

  /// What is not in the container, for scripts.
  var remainingJSON: JSONValue {
    .array(
      remaining.map { change, outcome in
        [
          "recordType": .string(change.recordType), "recordName": .string(change.recordName),
          "reason": .string(outcome.explanation),
        ]
      })
  }
}

extension CommandResult {
  /// The outcome of writing, with the status the account means and why something is left.
  init(
    of account: some WriteAccount, isConfirmation: Bool = false, json: JSONValue,
    render: @escaping @Sendable (OutputFormat, Style) -> PrintableText?
  ) {
    self.init(account.status, isConfirmation: isConfirmation, json: json, render: render)
    failure = account.failure
  }
}

extension ChangeReport.Outcome {
  fileprivate var failure: CommandFailure {
    switch self {
    case .failed(let error): CommandFailure(error)
    case .conflict:
      CommandFailure("", code: "conflict", hint: ServerError(.conflict, "").advice)
    case .applied, .alreadyApplied, .notAttempted: CommandFailure("", hint: "Run the command again.")
    }
  }

  var explanation: String {
    switch self {
    case .applied: "written"
    case .alreadyApplied: "was there already"
    case .conflict(let reason): "not written, because \(reason)"
    case .failed(let error): error.description
    case .notAttempted: "not tried"
    }
  }

  fileprivate var isDenied: Bool {
    if case .failed(let error) = self { error.code == .accessDenied } else { false }
  }
}
