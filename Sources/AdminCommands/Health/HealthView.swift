internal import CommandLine
internal import Diagnostics
internal import FeedHealth
internal import RecordChanges

/// A health run for people and scripts: a line a feed while it goes on if that is wanted, all verdicts at its end.
struct HealthView: Sendable {
  private let session: Session

  /// Throws when the file asked for cannot be written.
  init(_ session: Session) throws {
    self.session = session
    if session.format == .jsonl { try session.results.open() }
  }

  /// One verdict, the moment it is known.
  func show(_ result: FeedResult) throws {
    guard session.format == .jsonl else { return }
    // The check goes on when the reader has closed the pipe: its records and its status are still wanted.
    do {
      try session.results.write(line: result.json)
      try session.results.flush()
    } catch is Console.ClosedPipe {}
  }

  /// - Parameter level: the status from which on feeds are findings; `nil` has none.
  func result(of report: HealthReport, failOn level: HealthStatus?) throws -> CommandResult {
    let isWell = !report.hasFeeds(atLeast: level ?? .degraded) && report.plan == nil
    var result = CommandResult(
      status(of: report, failOn: level), isConfirmation: isWell, json: json(of: report)
    ) { format, style in
      switch format {
      case .jsonl: nil
      case .markdown: PrintableText(report.markdown)
      case .junit: PrintableText(document: report.junit.text)
      default: HealthTable(report, style).text
      }
    }
    result.failure = report.localOutage ? HealthView.outage : report.writes.failure
    return result
  }

  /// Made only when it is shown: it is large, a dry run's above all.
  private func json(of report: HealthReport) -> JSONValue {
    guard session.format == .json, var json = report.json.object else { return [:] }
    if !report.writes.isComplete { json["remaining"] = report.writes.remainingJSON }
    return .object(json)
  }

  private static let outage = CommandFailure(
    HealthReport.outageMessage, code: "local-outage", hint: "Run the command again when the network is there."
  )

  private func status(of report: HealthReport, failOn level: HealthStatus?) -> ExitStatus {
    if report.localOutage { return .failed }
    guard report.writes.isComplete else { return report.writes.status }
    return level.map(report.hasFeeds) == true ? .findings : .done
  }
}
