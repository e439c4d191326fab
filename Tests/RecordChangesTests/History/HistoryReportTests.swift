import CloudKitModel
import Diagnostics
import LocalContainer
import Platform
import Testing

@testable import RecordChanges

@Suite("Reports of the history") struct HistoryReportTests {
  @Test("a run whose file cannot be read is named among the others")
  func damaged() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write([fixture.create("a")], as: "one")
    let history = try fixture.history
    try history.newFile(for: RunRecordTests.run([], id: "bad")).append(Array("x\n".utf8))
    let report = try HistoryReport(history, limit: nil)
    let lines = report.text(.plain).description.split(separator: "\n")
    #expect(
      lines.count == 3 && lines[0].hasPrefix("✗ the run bad cannot be read: ") && lines[2].hasPrefix("one  "))
    #expect(report.json["damaged"]?.array?.count == 1 && report.json["runs"]?.array?.count == 1)
    let newest = try HistoryReport(history, limit: 1).text(.plain).description
    #expect(newest.hasPrefix("✗ the run bad") && newest.split(separator: "\n").count == 1)
  }

  private func report(_ run: RunRecord) async throws -> [String] {
    let fixture = try await UndoFixture()
    return try fixture.history.report(of: run).text(.plain).description.split(separator: "\n").map(
      String.init)
  }

  @Test("a run without an end was cut off, and may have written more than is known")
  func cutOff() async throws {
    var run = RunRecordTests.run([.written, .unknown])
    run.ended = nil
    #expect(
      try await report(run).last
        == "1 updated, cut off, 1 sent, outcome unknown; undo: yes")
    run.entries.removeLast()
    #expect(try await report(run).last == "1 updated, cut off; undo: yes")
  }

  @Test("a job that was cut off wrote nobody knows how much, and the report does not say 0")
  func cutOffJob() async throws {
    var job = RunRecordTests.run([], kind: .job)
    job.jobCounts = RunRecord.Counts()
    #expect(job.knowsCounts && RunRecordTests.run([]).knowsCounts)
    job.jobCounts = nil
    job.ended = nil
    let text = try await report(job).last
    #expect(text?.hasPrefix("counts not known, cut off; undo: no") == true, "\(text ?? "")")
  }

  @Test("the last run to undo is a person's in this container that wrote something")
  func lastUndoable() async throws {
    let fixture = try await UndoFixture()
    let target = fixture.container.identity
    #expect(throws: UndoError.self) { try fixture.history.lastUndoable(in: target) }
    try await fixture.write([fixture.create("a")], as: "one")
    try await fixture.write([fixture.create("b")], as: "two")
    try await fixture.write([fixture.create("b")], as: "nothing")
    #expect(try fixture.history.lastUndoable(in: target).id == "two")
    let production = ContainerIdentity(name: target.name, environment: .production, id: target.id)
    #expect(throws: UndoError.self) { try fixture.history.lastUndoable(in: production) }
    try await fixture.undo("two", as: "undo")
    var before: String?
    do { _ = try fixture.history.lastUndoable(in: target) } catch UndoError.lastIsUndo(_, let run, _) {
      before = run
    }
    #expect(before == "one")
  }
}
