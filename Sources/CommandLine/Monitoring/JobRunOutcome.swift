internal import Diagnostics
internal import FoundationEssentials

/// The outcome of a job's run, from which its metrics and pings are made. Contains the same report and exit status
/// that the caller gets.
struct JobRunOutcome: Sendable {
  /// What monitoring reports about a run.
  enum Verdict: Sendable, Hashable {
    case succeeded, failed
    /// The service was throttled or unavailable: the next run finishes the work.
    case postponed
    /// Another run holds the lock and does the work; this run is not reported.
    case leftToAnother
  }

  /// The command: `recount subscribers`.
  var command: String
  var status: ExitStatus
  /// The result; `nil` if the run ended without one.
  var report: (any Report)?
  /// The code of the failure; `nil` if there was none.
  var failureCode: String?
  var ended: Date
  var duration: Duration

  init(
    command: String, status: ExitStatus, report: (any Report)? = nil, failureCode: String? = nil,
    ended: Date, duration: Duration
  ) {
    self.command = command
    self.status = status
    self.report = report
    self.failureCode = failureCode
    self.ended = ended
    self.duration = duration
  }

  /// Differences (2) are a success, because the caller asked for them with `--exit-code`. Findings (3) are a
  /// failure: of a health check only with `--fail-on`, of `container verify` for inconsistent records.
  var verdict: Verdict {
    switch status {
    case .done, .differences: .succeeded
    case .tryLater: .postponed
    case .locked: .leftToAnother
    default: .failed
    }
  }

  /// One line with numbers and codes; without names, URLs and input text.
  var summary: String {
    let code = failureCode.map { " (\($0))" } ?? ""
    let seconds = duration.components.seconds
    let numbers = report?.tally.map { ": \($0)" } ?? ""
    return "\(command) ended with status \(status.rawValue)\(code) after \(seconds) s\(numbers)"
  }
}
