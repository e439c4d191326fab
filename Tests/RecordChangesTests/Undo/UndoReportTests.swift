import CloudKitModel
import Diagnostics
import Testing

@testable import RecordChanges

@Suite("Reports of an undo") struct UndoReportTests {
  private func plan(keeping count: Int, _ cause: UndoPlan.Skip.Cause = .changed) -> UndoPlan {
    let run = RunRecord(
      id: "run", command: "seed apply", kind: .person,
      target: ContainerIdentity(name: "memory:", environment: .development),
      started: Timestamp(milliseconds: 0))
    var plan = UndoPlan(run: run)
    plan.skipped = (0..<count).map {
      UndoPlan.Skip(
        change: RecordChange(.update, recordType: "Feed", recordName: "r\($0)"),
        reason: "another client changed it", cause: cause)
    }
    return plan
  }

  @Test(
    "more than three values that were kept for one reason stand together, at most 20 by name",
    arguments: [0, 1, 3, 4, 20, 53])
  func kept(_ count: Int) {
    let report = UndoReport(plan(keeping: count), ChangeReport())
    let text = report.text(.plain).description
    #expect(text.ranges(of: ": another client changed it\n").count == (count > 3 ? 0 : count))
    #expect(text.contains("stay as they are, each because another client changed it\n") == (count > 3))
    #expect(text.contains("r19 and \(count - 20) more stay") == (count > 20))
    #expect(text.contains("\(count) left") == (count > 0))
  }

  @Test("an undo that kept a value is partial, and only one that kept none is a confirmation")
  func status() {
    for count in 0...2 {
      let done = UndoReport(plan(keeping: count), ChangeReport())
      #expect(done.isConfirmation == (count == 0))
      #expect(done.status == (count == 0 ? .done : .partial))
      let change = RecordChange(deleting: Record(recordType: "T", recordName: "a"))
      let refusal = ServerError(.accessDenied, "A role finishes this, and not what was kept")
      let refused = ChangeReport(results: [(change, .applied), (change, .failed(refusal))])
      #expect(UndoReport(plan(keeping: count), refused).status == (count == 0 ? .denied : .partial))
      #expect(done.failure?.message.hasPrefix("\(count) record") ?? (count == 0))
      let planned = UndoReport(plan: plan(keeping: count), now: Timestamp(milliseconds: 0))
      #expect(!planned.isConfirmation && planned.status == done.status)
      #expect(planned.failure?.message.contains(" would stay as ") ?? (count == 0))
    }
  }

  @Test(
    "the hint of a partial undo follows from the reasons, and only where a later undo can help it says so",
    arguments: [
      (UndoPlan.Skip.Cause.changed, "Values that were changed since that run were kept."),
      (
        .referred,
        "Records that others refer to were kept. 'celestra-admin seed apply --prune' deletes those that are in no seed."
      ),
      (.taken, "Records were kept whose slug or address another record has."),
      (.dangling, "Records were left out that would refer to missing ones."),
      (.lost, "The history does not hold all that the run deleted."),
    ])
  func hints(_ cause: UndoPlan.Skip.Cause, _ sentence: String) {
    let again = " Decide on the rest, then run 'celestra-admin undo run' again."
    var plan = plan(keeping: 2, cause)
    let failure = UndoReport(plan, ChangeReport()).failure
    #expect(failure?.message == "2 records stayed as they are; r0: another client changed it")
    #expect(failure?.hint == sentence + (cause == .lost ? "" : again))
    plan.skipped += self.plan(keeping: 1, .lost).skipped
    let lost = cause == .lost ? "" : " The history does not hold all that the run deleted."
    #expect(
      UndoReport(plan, ChangeReport()).failure?.hint == sentence + lost + (cause == .lost ? "" : again))
    #expect(
      UndoReport(self.plan(keeping: 1, cause), ChangeReport()).failure?.message
        .hasPrefix("1 record stayed as it is; ") == true)
    var gone = self.plan(keeping: 2, cause)
    for index in gone.skipped.indices { gone.skipped[index].isGone = true }
    let missed = UndoReport(gone, ChangeReport())
    #expect(missed.failure?.message.hasPrefix("2 records were not restored; ") == true)
    #expect(missed.text(.plain).description.contains("Feed r0 is not restored: another client changed it"))
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
      id: "run", command: command, kind: .job,
      target: ContainerIdentity(name: "memory:", environment: .development),
      started: Timestamp(milliseconds: 0))
    run.jobCounts = RunRecord.Counts()
    run.jobCounts?.deleted = deleted
    #expect(StandingChanges([run]).reversibility(of: run) == .no(reason))
  }

  @Test("an undo says what it restored, changed back and deleted, and how to go on")
  func done() {
    var plan = plan(keeping: 0)
    plan.changes = [RecordChange.Action.create, .update, .update, .delete].enumerated().map {
      RecordChange($1, recordType: "Feed", recordName: "r\($0)")
    }
    plan.foundUndone = ["x": [], "y": [], "z": ["title"]]
    func text(_ outcomes: [ChangeReport.Outcome], undoable: String? = nil) -> String {
      var report = ChangeReport(results: zip(plan.changes, outcomes).map { ($0, $1) })
      report.undoableRun = undoable
      return UndoReport(plan, report).text(.plain).description
    }
    #expect(
      text([.applied, .applied, .alreadyApplied, .applied], undoable: "next") == """
        undid run (seed apply): 1 restored, 2 changed back, 1 deleted, 2 unchanged
        To take this undo back: celestra-admin undo next

        """)
    #expect(
      text([.applied, .applied, .conflict("x"), .unknown]) == """
        partly undid run (seed apply): 1 restored, 1 changed back, 2 unchanged, 1 sent, outcome unknown, 1 left
        To undo the rest: celestra-admin undo run

        """)
    #expect(
      text([.notAttempted, .notAttempted, .notAttempted, .notAttempted]).hasPrefix(
        "did not undo run (seed apply): 2 unchanged"))
    let planned = UndoReport(plan: plan, now: Timestamp(milliseconds: 0))
    #expect(
      planned.text(.plain).description.hasSuffix(
        "would undo run (seed apply): 1 restored, 2 changed back, 1 deleted, 2 unchanged\n"))
    #expect(planned.json["plan"] != nil && planned.json["written"] == nil && planned.json["left"] == nil)
    #expect(planned.json["create"] == 1 && planned.json["update"] == 2 && planned.json["failed"] == 0)
    let report = UndoReport(
      plan,
      ChangeReport(results: [
        (plan.changes[0], .applied), (plan.changes[1], .failed(ServerError(.internalError, "no"))),
      ]))
    #expect(report.json["written"] == 1 && report.json["left"] == 1 && report.json["failed"] == 1)
    #expect(report.json["plan"] == nil && !report.isConfirmation)
  }
}
