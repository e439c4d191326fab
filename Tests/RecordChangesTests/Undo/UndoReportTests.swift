import CloudKitModel
import Diagnostics
import Testing

@testable import RecordChanges

@Suite("Reports of an undo") struct UndoReportTests {
  private func plan(keeping count: Int) -> UndoPlan {
    let run = RunRecord(
      "seed apply", id: "run", kind: .person,
      target: ContainerIdentity(name: "memory:", environment: .development),
      started: Timestamp(milliseconds: 0))
    var plan = UndoPlan(run: run)
    plan.skipped = (0..<count).map {
      UndoPlan.Skip(recordType: "Feed", recordName: "r\($0)", reason: "another client changed it")
    }
    return plan
  }

  @Test(
    "at most 50 values that were kept are shown, and the others are counted", arguments: [0, 1, 50, 51, 53])
  func kept(_ count: Int) {
    let report = UndoReport(plan(keeping: count), ChangeReport())
    let text = report.text(.plain).description
    #expect(text.ranges(of: ": another client changed it\n").count == min(count, 50))
    #expect(text.contains("  … and \(count - 50) more\n") == (count > 50))
    #expect(text.contains(", \(count) left"))
  }

  @Test("an undo that kept a value is partial, and only one that kept none is a confirmation")
  func status() {
    for count in 0...2 {
      let done = UndoReport(plan(keeping: count), ChangeReport())
      #expect(done.isConfirmation == (count == 0))
      #expect(done.status == (count == 0 ? .done : .partial))
      #expect(done.failure?.message.hasPrefix("\(count) value") ?? (count == 0))
      let planned = UndoReport(plan: plan(keeping: count), now: Timestamp(milliseconds: 0))
      #expect(!planned.isConfirmation && planned.status == .done && planned.failure == nil)
    }
  }

  @Test(
    "a job is not undone: it is run again, unless it deleted records",
    arguments: [
      ("health check", 0, "a job is run again, not undone"),
      ("articles expire", 1, "it deleted records of which the history keeps only the number"),
      ("person erase", 0, "it deleted records of which the history keeps only the number"),
    ])
  func jobs(command: String, deleted: Int, reason: String) {
    var run = RunRecord(
      command, id: "run", kind: .job,
      target: ContainerIdentity(name: "memory:", environment: .development),
      started: Timestamp(milliseconds: 0))
    run.jobCounts = RunRecord.Counts()
    run.jobCounts?.deleted = deleted
    #expect(StandingChanges([run]).reversibility(of: run) == .no(reason))
  }
}
