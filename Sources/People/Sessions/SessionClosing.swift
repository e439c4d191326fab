package import CloudKitModel
package import Diagnostics
package import RecordChanges

/// Marks live sessions as over when their end has passed: the host's app does not do it when it was closed before.
///
/// Only `isActive` is written, and only where no other client wrote it meanwhile. A run that was stopped is continued by
/// the next.
package struct SessionClosing: Sendable {
  private let container: any Container
  private let end: TimeOrAge

  /// - Parameter end: close what ended before this.
  package init(container: any Container, endedBefore end: TimeOrAge) {
    self.container = container
    self.end = end
  }

  /// Closes the sessions that have ended.
  ///
  /// Throws `UncertainServiceTime`, errors of reading, and ``CommandFailure`` for a container without live sessions. Refused changes are in the
  /// result.
  ///
  /// - Parameter writer: `nil` for a dry run.
  package func run(through writer: LeasedJobWriter?) async throws -> SessionClosingResult {
    let moment = try await container.clock.certainTime(before: end)
    guard let sessions = try await ActiveSessions.read(from: container, endedBefore: moment) else {
      throw CommandFailure(
        "the container has no record type LiveSession", code: "missing-record-type",
        hint: "schema/live-sessions.ckdb declares it.")
    }
    var result = SessionClosingResult(sessions, isDryRun: writer == nil)
    let changes = sessions.ended.map(\.closing)
    if let writer { result.report.add(try await writer.apply(changes, policy: .refuse)) }
    return result
  }
}

extension Record {
  fileprivate var closing: RecordChange {
    RecordChange(
      .update, recordType: recordType, recordName: recordName, changeTag: changeTag,
      fields: ["isActive": FieldChange(from: self["isActive"], to: .flag(false))])
  }
}

/// The report of `sessions close`.
package struct SessionClosingResult: Report {
  private let sessions: ActiveSessions
  private let isDryRun: Bool
  var report = WriteSummary()

  init(_ sessions: ActiveSessions, isDryRun: Bool) {
    self.sessions = sessions
    self.isDryRun = isDryRun
  }

  private var closed: Int { report.applied + report.alreadyApplied }

  package var status: ExitStatus { report.status }
  package var failure: CommandFailure? { report.failure }
  package var isConfirmation: Bool { report.isComplete && !isDryRun }
  package var tally: String? { "\(counted(closed, "session")) closed" }

  package var metrics: [Metric] {
    [
      Metric(
        MetricFamily("sessions_ended", "Active sessions past their end that the last run found"),
        sessions.stale.count),
      Metric(MetricFamily("sessions_closed", "Sessions that the last run closed"), closed),
    ]
  }

  package var json: JSONValue {
    [
      "active": JSONValue(sessions.total), "ended": JSONValue(sessions.stale.count),
      "closed": JSONValue(closed),
      "withoutEnd": JSONValue(sessions.withoutEnd), "complete": .bool(report.isComplete),
      "dryRun": .bool(isDryRun),
    ]
  }

  package var body: ReportBody {
    let ended = counted(sessions.stale.count, "session")
    isDryRun ? "would close \(ended)" : "closed \(closed) of \(ended)"
    if sessions.withoutEnd > 0 {
      "\(counted(sessions.withoutEnd, "active session")) without endTime: only the host's app knows whether they are over"
    }
  }
}
