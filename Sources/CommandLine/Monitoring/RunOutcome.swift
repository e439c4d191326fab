internal import Diagnostics
internal import FoundationEssentials

/// How one run of a job ended: the value from which its metrics and its pings are made. Report and exit status in it
/// are those that the caller sees.
struct RunOutcome: Sendable {
  /// What a run means to somebody who watches it.
  enum Verdict: Sendable, Hashable {
    case succeeded, failed
    /// Throttled or unavailable: the next run finishes it.
    case postponed
    /// Another run does the work, so this one says nothing about the job.
    case leftToAnother
  }

  /// What was run, in words: `recount subscribers`.
  var command: String
  var status: ExitStatus
  /// `nil` for a run that ended before it had a result.
  var report: (any Report)?
  /// The stable code of what went wrong; `nil` when nothing did.
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

  /// Differences (2) are what the caller asked to find. Findings (3) count as a failure, because only `--fail-on` makes
  /// them a status of a health check, and inconsistent records are what `container verify` looks for.
  var verdict: Verdict {
    switch status {
    case .done, .differences: .succeeded
    case .tryLater: .postponed
    case .locked: .leftToAnother
    default: .failed
    }
  }

  /// One line with numbers and codes only: no name, no address and no text from outside.
  var summary: String {
    let code = failureCode.map { " (\($0))" } ?? ""
    let seconds = duration.components.seconds
    let numbers = report?.tally.map { ": \($0)" } ?? ""
    return "\(command) ended with status \(status.rawValue)\(code) after \(seconds) s\(numbers)"
  }
}
