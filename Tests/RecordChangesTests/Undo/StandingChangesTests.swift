import CloudKitModel
import ContainerFaults
import Diagnostics
import Foundation
import LocalContainer
import Platform
import Synchronization
import Testing

@testable import RecordChanges

/// What an undo leaves, the next undo takes back.
@Suite("What of a run still stands") struct StandingChangesTests {
  private func refusing(
    _ fixture: UndoFixture, after accepted: Int, with error: any Error
  ) -> FaultyContainer {
    let left = SharedCount(accepted)
    return FaultyContainer(fixture.container) { request in
      guard case .modify(let operations) = request, operations.first?.recordType != "AdminLease" else {
        return nil
      }
      if left.next() >= 0 { return nil }
      return (error as? ServerError).map(FaultyContainer.Fault.eachRecord) ?? .refuse(error)
    }
  }

  @Test("an undo that is refused for every record leaves the run to be undone")
  func refused() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write((0..<30).map { fixture.create("r\($0)") })
    let denied = refusing(fixture, after: 0, with: ServerError(.accessDenied, "WRITE not permitted"))
    let (plan, report) = try await fixture.undo(as: "denied", through: denied)
    #expect(report.applied == 0 && report.failed == 30)
    let text = UndoReport(plan, report).text(.plain).description
    #expect(
      text.contains(
        "did not undo run (seed apply): 30 left"))
    #expect(!text.contains("undid"))
    #expect(try fixture.reversibility() == .yes)
    #expect(try fixture.history.lastUndoable(in: fixture.container.identity).id == "run")
    #expect(try await fixture.undo(as: "again").1.applied == 30)
    #expect(try await fixture.fields().isEmpty)
    #expect(try fixture.reversibility() == .no("it is already undone"))
  }

  @Test("an undo that stops after its first request is continued by the next, with and without the run's id")
  func stopped() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write((0..<450).map { fixture.create("r\($0)") })
    let stopping = refusing(fixture, after: 1, with: ContainerFailure(.unavailable(retryAfter: nil), "busy"))
    let (plan, report) = try await fixture.undo(as: "stopped", through: stopping)
    #expect(report.applied == 200 && report.notAttempted + report.unknown == 250)
    let text = UndoReport(plan, report).text(.plain).description
    #expect(text.contains("partly undid run (seed apply): 200 deleted"))
    #expect(text.contains("250 left") && text.contains("To undo the rest: celestra-admin undo run"))
    #expect(try fixture.reversibility() == .partly("250 of 450 records are left to undo"))
    #expect(try !fixture.history.run("stopped").isFinished)
    #expect(try fixture.history.lastUndoable(in: fixture.container.identity).id == "run")
    #expect(try await fixture.undo(as: "rest").1.applied == 250)
    #expect(try await fixture.fields().isEmpty)
    #expect(throws: UndoError.lastIsUndo(id: "rest", before: nil)) {
      try fixture.history.lastUndoable(in: fixture.container.identity)
    }
  }

  @Test("undoing an undo lets only its records stand again")
  func redo() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write((0..<300).map { fixture.create("r\($0)") })
    let stopping = refusing(fixture, after: 1, with: ContainerFailure(.unavailable(retryAfter: nil), "busy"))
    try await fixture.undo(as: "part", through: stopping)
    #expect(try await fixture.undo("part", as: "redo").1.applied == 200)
    #expect(try await fixture.fields().count == 300)
    #expect(try fixture.reversibility() == .yes)
    #expect(try await fixture.undo(as: "all").1.applied == 300)
  }

  @Test("a record that somebody else had deleted is not this run's to restore")
  func deletedBefore() async throws {
    let fixture = try await UndoFixture()
    for name in ["gone", "there"] { try await fixture.put(name, ["title": .string(name)]) }
    let deletions = [try await fixture.deletion("gone"), try await fixture.deletion("there")]
    try await fixture.delete("gone")
    #expect(try await fixture.write(deletions).isComplete)
    let run = try #require(try fixture.runs().first)
    #expect(run.entries.map(\.outcome) == [.found, .written] && run.counts.deleted == 1 && run.isFinished)
    let (plan, _) = try await fixture.undo()
    #expect(plan.skipped.isEmpty && plan.changes.map(\.recordName) == ["there"])
    #expect(try fixture.reversibility() == .no("it is already undone"))
    // With nothing else, the run wrote nothing.
    let absent = RecordChange(.delete, recordType: "Feed", recordName: "gone", changeTag: "t")
    #expect(try await fixture.write([absent], as: "nothing").undoableRun == nil)
  }

  @Test("a value that was kept, and a record that something referred to, are left for a later undo")
  func kept() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("a", ["title": .string("A"), "note": .string("n")])
    try await fixture.write([
      try await fixture.update("a", ["title": .string("A2"), "note": .string("n2")]), fixture.create("voted"),
      fixture.create("free"),
    ])
    try await fixture.put("a", ["title": .string("editor")])
    try await fixture.put("vote", ["feed": .string("voted")], type: "Vote")
    let (plan, _) = try await fixture.undo()
    #expect(plan.skipped.count == 2 && plan.changes.count == 2)
    #expect(try fixture.reversibility() == .partly("2 of 3 records are left to undo"))
    #expect(try await fixture.plan().skipped.map(\.recordName).sorted() == ["a", "voted"])
    try await fixture.delete("vote")
    try await fixture.put("a", ["title": .string("A2")])
    let (rest, _) = try await fixture.undo(as: "rest")
    #expect(rest.skipped.isEmpty && rest.changes.map(\.recordName).sorted() == ["a", "voted"])
    #expect(try await fixture.record("a")?.fields == ["title": .string("A"), "note": .string("n")])
    await #expect(throws: UndoError.irreversible(id: "run", reason: "it is already undone")) {
      try await fixture.plan()
    }
  }

  @Test("what an undo found undone is not undone again when the values return")
  func foundUndone() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("a", ["title": .string("A"), "note": .string("n")])
    try await fixture.put("b", ["title": .string("B")])
    try await fixture.write([
      try await fixture.update("a", ["title": .string("A2"), "note": .string("n2")]),
      try await fixture.update("b", ["title": .string("B2")]),
    ])
    try await fixture.put("a", ["note": .string("n")])
    try await fixture.put("b", ["title": .string("B")])
    #expect(try await fixture.undo().plan.unchanged == 1)
    try await fixture.put("a", ["note": .string("n2")])
    try await fixture.put("b", ["title": .string("B2")])
    await #expect(throws: UndoError.irreversible(id: "run", reason: "it is already undone")) {
      try await fixture.plan()
    }
  }

  @Test("two changes of one record are undone to the value before the first", arguments: [false, true])
  func twice(isSecondRefused: Bool) async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("a", ["title": .string("A"), "note": .string("n")])
    let first = try await fixture.update("a", ["title": .string("B")])
    var second = first
    second.fields = [
      "title": FieldChange(from: .string("B"), to: .string("C")),
      "note": FieldChange(from: .string("n"), to: .string("m")),
    ]
    let denied = refusing(fixture, after: 1, with: ServerError(.accessDenied, "WRITE not permitted"))
    try await fixture.write([first, second], through: isSecondRefused ? denied : nil)
    #expect(try await fixture.record("a")?["title"] == .string(isSecondRefused ? "B" : "C"))
    try await fixture.undo()
    #expect(try await fixture.record("a")?.fields == ["title": .string("A"), "note": .string("n")])
  }
}

@Suite("Intents of a run") struct RunIntentTests {
  @Test("all intended records are in the history before the first request")
  func beforeTheFirstRequest() async throws {
    let fixture = try await UndoFixture()
    let dying = FaultyContainer(fixture.container) { request in
      guard case .modify(let operations) = request, operations.first?.recordType != "AdminLease" else {
        return nil
      }
      return .refuse(CancellationError())
    }
    try await fixture.write((0..<450).map { fixture.create("r\($0)") }, through: dying)
    let run = try fixture.runs()[0]
    #expect(run.entries.count == 450)
    #expect(run.entries.prefix(200).allSatisfy { $0.outcome == .unknown })
    #expect(run.entries.dropFirst(200).allSatisfy { $0.outcome == .notSent && $0.change.fields.isEmpty })
    #expect(!run.isFinished)
    let text = try fixture.history.report(of: run).text(.plain).description
    #expect(
      text.contains("250 of 450 not done, 200 sent, outcome unknown")
        && text.contains("r49: unknown\n… and 400 more"))
  }

  @Test("a run that is refused in part is not finished; one whose records have all values is")
  func finished() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("taken", ["title": .string("another")])
    try await fixture.write([fixture.create("a"), fixture.create("taken")])
    #expect(try fixture.runs()[0].entries.map(\.outcome) == [.written, .refused])
    #expect(try !fixture.runs()[0].isFinished)
    try await fixture.write([fixture.create("a"), fixture.create("b")], as: "second")
    #expect(try fixture.runs()[0].entries.map(\.outcome) == [.found, .written])
    #expect(try fixture.runs()[0].isFinished)
  }

  @Test("a history that would become too large to be read stops the run before the request")
  func full() async throws {
    let fixture = try await UndoFixture()
    let run = RunRecord(
      id: "run", command: "import", kind: .person, target: fixture.container.identity,
      started: Timestamp(milliseconds: 0))
    let recorder = try RunRecorder(
      run, in: fixture.history, container: fixture.container,
      userMade: UserCreatedRecordTypes(fixture.schema), maxSize: 3_000_000)
    // So long that each record has a request of its own.
    let long = String(repeating: "x", count: 800_000)
    let executor = ChangeExecutor(container: fixture.container, policy: .refuse, journal: recorder)
    let report = await executor.apply((0..<5).map { fixture.create("r\($0)", ["title": .string(long)]) })
    #expect(report.applied == 3 && report.notAttempted == 2)
    #expect(report.failure?.code == "history-full" && report.status == .partial)
    #expect(try await fixture.undo().1.applied == 3)
  }

  @Test("a file with the largest number leaves a number for the next run")
  func largestNumber() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write([fixture.create("a")], as: "first")
    for number in ["9223372036854775807", "9223372036854775806", "99999999999999999999"] {
      try Data().write(to: URL(filePath: "\(fixture.folder)/history/\(number).x.job.jsonl"))
    }
    try await fixture.write([fixture.create("b")], as: "second")
    #expect(try fixture.history.run("second").counts.created == 1)
  }

  @Test("a run that could not write its first line sent nothing, and hides no other run")
  func withoutLines() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write([fixture.create("a")])
    try Data().write(to: URL(filePath: "\(fixture.folder)/history/0000007.full.person.jsonl"))
    #expect(try fixture.history.runs().read.map(\.id) == ["run"])
    #expect(try fixture.history.runs().leftOut == 0)
    #expect(try fixture.history.lastUndoable(in: fixture.container.identity).id == "run")
    #expect(try await fixture.undo().1.applied == 1)
  }

  @Test(
    "counts in a history are added up to the largest that a line may have, and a larger one is damage",
    arguments: [Int64.max, .min, -1, 0, 1_000_000_000, 1_000_000_001])
  func extremeCounts(_ count: Int64) async throws {
    let fixture = try await UndoFixture()
    try await fixture.write([fixture.create("a")])
    let folder = "\(fixture.folder)/history"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let file = try FileHandle(forWritingTo: URL(filePath: "\(folder)/\(name)"))
    try file.seekToEnd()
    let counts = "{\"create\":\(count),\"update\":\(count),\"delete\":\(count)}"
    for _ in 0..<3 { try file.write(contentsOf: Data("{\"settled\":[],\"withheld\":\(counts)}\n".utf8)) }
    try file.write(contentsOf: Data("{\"ended\":\(count)}\n".utf8))
    try file.close()
    if (0...1_000_000_000).contains(count) {
      #expect(try fixture.runs()[0].withheld.total == Int(count) * 9)
    } else {
      #expect(throws: FileFormError.self) { try fixture.history.run("run") }
    }
    #expect(try !HistoryReport(fixture.history, limit: nil).text(.plain).description.isEmpty)
  }

  @Test("an unreadable newest run of a person is not passed over; one of a job is")
  func unreadable() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write([fixture.create("a")])
    let folder = URL(filePath: "\(fixture.folder)/history")
    try Data("damaged".utf8).write(to: folder.appending(path: "0000005.job.job.jsonl"))
    #expect(try fixture.history.lastUndoable(in: fixture.container.identity).id == "run")
    try Data("damaged".utf8).write(to: folder.appending(path: "0000006.newest.person.jsonl"))
    #expect(
      throws: UndoError.unreadable(
        reason: "the run newest cannot be read: the file is not JSON: 'damaged' is not a JSON value")
    ) {
      try fixture.history.lastUndoable(in: fixture.container.identity)
    }
    #expect(try await fixture.undo().1.applied == 1)
  }
}

/// Counts down; ``next()`` is negative when the start is used up.
private final class SharedCount: Sendable {
  private let left: Mutex<Int>
  init(_ start: Int) { left = Mutex(start) }
  func next() -> Int {
    left.withLock {
      $0 -= 1
      return $0
    }
  }
}

@Suite("References in an undo") struct UndoReferenceTests {
  @Test("a record is not restored into a reference to one that is gone, nor what refers to it")
  func dangling() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("root")
    try await fixture.put("child", ["category": .reference(Reference("root"))])
    try await fixture.put("leaf", ["category": .reference(Reference("child"))])
    try await fixture.put("free")
    try await fixture.write([
      try await fixture.deletion("leaf"), try await fixture.deletion("child"),
      try await fixture.deletion("free"),
    ])
    try await fixture.write([try await fixture.deletion("root")], as: "later")
    let (plan, _) = try await fixture.undo()
    #expect(plan.changes.map(\.recordName) == ["free"])
    #expect(
      plan.skipped.reduce(into: [:]) { $0[$1.recordName] = $1.reason } == [
        "child": "its category names 'root', which does not exist",
        "leaf": "its category names 'child', which does not exist",
      ])
    #expect(plan.skipped.allSatisfy { $0.cause == .dangling && $0.isGone })
    try await fixture.put("root")
    let (rest, _) = try await fixture.undo(as: "rest")
    #expect(rest.skipped.isEmpty && rest.changes.map(\.recordName) == ["child", "leaf"])
  }

  @Test(
    "a reference that dangled before is no reason to keep a value, or a record away, unless it is validated")
  func danglingBefore() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("a", ["title": .string("A"), "category": .reference(Reference("nowhere"))])
    try await fixture.write([try await fixture.update("a", ["title": .string("B")])])
    #expect(try await fixture.undo().plan.skipped.isEmpty)
    try await fixture.write([try await fixture.update("a", ["category": nil])], as: "second")
    #expect(try await fixture.undo("second", as: "undo2").plan.skipped.map(\.recordName) == ["a"])
    try await fixture.put("b", ["category": .reference(Reference("nowhere"))])
    try await fixture.write([try await fixture.deletion("b")], as: "third")
    let restored = try await fixture.undo("third", as: "undo3").plan
    #expect(restored.skipped.isEmpty)
    #expect(restored.dangling.map(\.reason) == ["its category names 'nowhere', which does not exist"])
    #expect(try await fixture.record("b")?["category"] == .reference(Reference("nowhere")))
    try await fixture.put("target")
    try await fixture.put("c", ["category": .reference(Reference("target", action: .validate))])
    try await fixture.write([try await fixture.deletion("c")], as: "fourth")
    try await fixture.delete("target")
    let refused = try await fixture.undo("fourth", as: "undo4").plan
    #expect(refused.skipped.map(\.recordName) == ["c"] && refused.dangling.isEmpty)
  }
}
