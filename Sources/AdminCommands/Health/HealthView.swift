internal import Diagnostics
internal import FeedHealth
internal import PositionedJSON
internal import Synchronization

/// A health run for people and scripts: progress while it goes on, verdicts at its end.
final class HealthView: Sendable {
  private let session: Session
  private let progress: @Sendable (Int, Int) -> Void
  private let counts = Mutex((done: 0, total: 0))

  init(_ session: Session) {
    self.session = session
    progress = session.progress(of: "health check")
  }

  func start(_ feeds: Int) { counts.withLock { $0.total = feeds } }

  /// One verdict, the moment it is known.
  func show(_ result: FeedResult) throws {
    let (done, total) = counts.withLock { counts in
      counts.done += 1
      return counts
    }
    if session.format == .jsonl { try session.world.console.output.write(result.json.text() + "\n") }
    progress(done, total)
  }

  func result(of report: HealthReport, failOn level: HealthStatus?) -> CommandResult {
    CommandResult(status(of: report, failOn: level), json: report.json) { format, style in
      switch format {
      case .jsonl: nil
      case .markdown: HealthTables.markdown(report)
      case .junit: HealthTables.junit(report)
      default: HealthTables.text(report, style)
      }
    }
  }

  private func status(of report: HealthReport, failOn level: HealthStatus?) -> ExitStatus {
    if report.localOutage { return .failed }
    if let interruption = report.writes.interruption {
      let failure = CommandFailure(interruption).status
      return failure == .failed && report.writes.applied > 0 ? .partial : failure
    }
    if !report.writes.isComplete { return report.writes.applied > 0 ? .partial : .failed }
    return level.map(report.hasFeeds) == true ? .findings : .done
  }
}
