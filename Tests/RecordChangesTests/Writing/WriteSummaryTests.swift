import CloudKitModel
import Diagnostics
import Testing

@testable import RecordChanges

@Suite("Summaries of writes") struct WriteSummaryTests {
  typealias Outcome = ChangeReport.Outcome

  private static let denied = Outcome.failed(ServerError(.accessDenied, "no"))
  private static let broken = Outcome.failed(ServerError(.internalError, "no"))

  private func report(_ outcomes: [Outcome], _ interruption: (any Error)? = nil) -> ChangeReport {
    ChangeReport(
      results: outcomes.enumerated().map {
        (RecordChange(.update, recordType: "Feed", recordName: "r\($0)"), $1)
      }, interruption: interruption)
  }

  /// Outcomes, the exit status, and the message of the failure.
  static let runs: [([Outcome], Diagnostics.ExitStatus, String?)] = [
    ([], .done, nil), ([.applied, .alreadyApplied], .done, nil),
    ([denied], .denied, "1 record could not be written; r0: ACCESS_DENIED: no"),
    ([denied, denied], .denied, "2 records could not be written; r0: ACCESS_DENIED: no"),
    ([denied, broken], .failed, "2 records could not be written; r0: ACCESS_DENIED: no"),
    ([broken], .failed, "1 record could not be written; r0: INTERNAL_ERROR: no"),
    ([.applied, denied], .partial, "1 record could not be written; r1: ACCESS_DENIED: no"),
    ([.alreadyApplied, denied], .partial, "1 record could not be written; r1: ACCESS_DENIED: no"),
    (
      [.conflict("it changed")], .failed, "1 record could not be written; r0: not written, because it changed"
    ),
    ([.unknown], .failed, "1 record could not be written; r0: sent, outcome unknown"),
    ([.notAttempted], .failed, "1 record could not be written; r0: not tried"),
  ]

  @Test("the status says whether all, some or none of the changes are in the container", arguments: runs)
  func status(outcomes: [Outcome], status: Diagnostics.ExitStatus, message: String?) {
    let report = report(outcomes)
    #expect(report.status == status && report.failure?.message == message)
    #expect(report.isComplete == (message == nil) && report.summary.isComplete == (message == nil))
    #expect(report.failure?.details.count ?? 0 == (report.remaining.count > 1 ? report.remaining.count : 0))
    #expect(report.remainingJSON.array?.count == report.remaining.count)
  }

  @Test("each outcome is counted once")
  func counts() {
    let report = report([
      .applied, .alreadyApplied, .alreadyApplied, .conflict("x"), .conflict("y"), .conflict("z"), Self.broken,
      .unknown,
      .unknown, .notAttempted, .notAttempted, .notAttempted,
    ])
    #expect([report.applied, report.alreadyApplied, report.conflicts, report.failed] == [1, 2, 3, 1])
    #expect([report.unknown, report.notAttempted, report.remaining.count] == [2, 3, 9])
    #expect(
      Self.denied.isDenied && !Self.broken.isDenied && !Outcome.applied.isDenied
        && Outcome.unknown.refusal == nil)
  }

  @Test(
    "an interruption is partial only after something was written",
    arguments: [
      ([], .failed, .failed), ([.applied], .failed, .partial), ([.alreadyApplied], .failed, .failed),
      ([.applied], .tryLater, .tryLater), ([.notAttempted], .denied, .denied),
    ] as [([Outcome], Diagnostics.ExitStatus, Diagnostics.ExitStatus)])
  func interruption(outcomes: [Outcome], cause: Diagnostics.ExitStatus, status: Diagnostics.ExitStatus) {
    let report = report(outcomes, CommandFailure("lost", status: cause))
    #expect(report.status == status && report.failure?.message == "lost" && !report.isComplete)
    #expect(!report.summary.isComplete)
  }

  @Test(
    "20 records that were not written are listed",
    arguments: [(1, 0, nil), (2, 2, nil), (20, 20, nil), (21, 21, "… and 1 more"), (23, 21, "… and 3 more")]
      as [(Int, Int, String?)])
  func listed(count: Int, lines: Int, rest: String?) {
    let details = report(Array(repeating: Self.broken, count: count)).failure?.details ?? []
    #expect(details.count == lines)
    if count > 1 { #expect(details.first == "Feed r0: INTERNAL_ERROR: no") }
    if let rest { #expect(details.last == rest) }
  }

  @Test("several reports add up, and the first interruption is kept")
  func adding() {
    var summary = WriteSummary()
    summary.add(report([.applied, .alreadyApplied]))
    summary.add(report([.applied, Self.broken], CommandFailure("first")))
    summary.add(report([.alreadyApplied, .alreadyApplied], CommandFailure("second")))
    #expect(summary.applied == 2 && summary.alreadyApplied == 3 && summary.remaining.count == 1)
    #expect(summary.failure?.message == "first")
  }
}
