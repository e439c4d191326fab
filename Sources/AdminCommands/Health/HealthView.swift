internal import Diagnostics
internal import FeedHealth
internal import PositionedJSON
internal import Synchronization

/// A health run for people and scripts: progress while it goes on, verdicts at its end.
final class HealthView: Sendable {
  private let session: Session
  private let progress: @Sendable (Int, Int) -> Void
  private let counts = Mutex((done: 0, total: 0))
  /// Where lines go that are wanted in a file; elsewhere each is written the moment it is there.
  private let file: LineSink?

  /// Throws when the file asked for cannot be written.
  init(_ session: Session) throws {
    self.session = session
    let path = session.common.output.flatMap { $0 == "-" ? nil : $0 }
    file =
      try session.format == .jsonl ? path.map { try LineSink(path: $0, console: session.world.console) } : nil
    progress = session.progress(of: "health check")
  }

  func start(_ feeds: Int) { counts.withLock { $0.total = feeds } }

  /// One verdict, the moment it is known.
  func show(_ result: FeedResult) throws {
    let (done, total) = counts.withLock { counts in
      counts.done += 1
      return counts
    }
    if session.format == .jsonl { try write(result.json.text()) }
    progress(done, total)
  }

  private func write(_ line: String) throws {
    guard let file else { return try session.world.console.output.write(line + "\n") }
    try file.write(line)
  }

  func result(of report: HealthReport, failOn level: HealthStatus?) throws -> CommandResult {
    try file?.finish()
    return CommandResult(status(of: report, failOn: level), json: report.json) { format, style in
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
