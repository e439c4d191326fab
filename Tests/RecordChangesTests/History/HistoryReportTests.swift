import CloudKitModel
import Diagnostics
import LocalContainer
import Platform
import Testing

@testable import RecordChanges

@Suite("Reports of the history") struct HistoryReportTests {
  @Test("each run has its counts, and whether it can be undone, newest first")
  func list() async throws {
    let fixture = try await UndoFixture()
    #expect(try HistoryReport(nil, limit: nil).text(.plain).description == "no runs yet\n")
    try await fixture.write([fixture.create("a"), fixture.create("b")], as: "one")
    try await fixture.undo("one", as: "two")
    let report = try HistoryReport(fixture.history, limit: nil)
    #expect(
      report.text(.plain).description == """
        two  2027-01-15T08:00:00Z  seed apply  0 created, 0 updated, 2 deleted  undo: yes
        one  2027-01-15T08:00:00Z  seed apply  2 created, 0 updated, 0 deleted  undo: no (it is already undone)

        """)
    let runs = try #require(report.json["runs"]?.array)
    #expect(runs.map { $0["id"] } == ["two", "one"] && runs.map { $0["undo"] } == ["yes", "no"])
    #expect(runs.map { $0["undoes"] } == ["one", nil] && runs.map { $0["deleted"] } == [2, 0])
    #expect(runs.map { $0["finished"] } == [true, true] && runs.map { $0["created"] } == [0, 2])
    #expect(report.json["damaged"] == nil && report.json["leftOut"] == nil)
    #expect(try HistoryReport(fixture.history, limit: 1).json["runs"]?.array?.map { $0["id"] } == ["two"])
    #expect(try HistoryReport(fixture.history, limit: 0).text(.plain).description == "no runs yet\n")
  }

  @Test("a run whose file cannot be read is named among the others")
  func damaged() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write([fixture.create("a")], as: "one")
    let history = try fixture.history
    try history.newFile(for: RunRecordTests.run([], id: "bad")).append(Array("x\n".utf8))
    let report = try HistoryReport(history, limit: nil)
    let lines = report.text(.plain).description.split(separator: "\n")
    #expect(
      lines.count == 2 && lines[0].hasPrefix("✗ the run bad cannot be read: ") && lines[1].hasPrefix("one  "))
    #expect(report.json["damaged"]?.array?.count == 1 && report.json["runs"]?.array?.count == 1)
    let newest = try HistoryReport(history, limit: 1).text(.plain).description
    #expect(newest.hasPrefix("✗ the run bad") && newest.split(separator: "\n").count == 1)
  }

  private func report(_ run: RunRecord) async throws -> [String] {
    let fixture = try await UndoFixture()
    return try HistoryRunReport(run, in: fixture.history).text(.plain).description.split(separator: "\n").map(
      String.init)
  }

  @Test("a run shows what it wrote, and what is not done, up to 50 records", arguments: [0, 1, 50, 51, 53])
  func open(count: Int) async throws {
    let run = RunRecordTests.run([.written, .found] + Array(repeating: .refused, count: count))
    let lines = try await report(run)
    #expect(lines.first == "run  seed apply  1970-01-01T00:00:00Z  memory:" && lines[1] == "~ Feed r0")
    #expect(lines.count { $0.hasSuffix(": refused") } == min(count, 50))
    #expect(lines.contains("  … and \(count - 50) more") == (count > 50))
    let rest = count == 0 ? "" : "  \(count) of \(count + 2) not done"
    #expect(lines.last == "0 created, 1 updated, 0 deleted\(rest); undo: yes")
  }

  @Test("a run shows the first 200 of its changes", arguments: [200, 201])
  func written(count: Int) async throws {
    let lines = try await report(RunRecordTests.run(Array(repeating: .written, count: count)))
    #expect(lines.count { $0.hasPrefix("~ Feed ") } == 200 && lines.contains("… and 1 more") == (count > 200))
  }

  @Test("a run without an end was cut off")
  func cutOff() async throws {
    var run = RunRecordTests.run([.written, .unknown])
    run.ended = nil
    #expect(
      try await report(run).last == "0 created, 1 updated, 0 deleted  cut off  1 of 2 not done; undo: yes")
    run.entries.removeLast()
    #expect(try await report(run).last == "0 created, 1 updated, 0 deleted  cut off; undo: yes")
  }

  @Test("a job that was cut off wrote nobody knows how much, and the report does not say 0")
  func cutOffJob() async throws {
    var job = RunRecordTests.run([], kind: .job)
    job.jobCounts = RunRecord.Counts()
    #expect(job.knowsCounts && RunRecordTests.run([]).knowsCounts)
    job.jobCounts = nil
    job.ended = nil
    let text = try await report(job).last
    #expect(text?.hasPrefix("counts not known  cut off; undo: no") == true, "\(text ?? "")")
  }

  @Test("JSON has the outcome of each change")
  func json() async throws {
    let fixture = try await UndoFixture()
    let run = RunRecordTests.run([.written, .found, .refused, .unknown, .notSent])
    let json = try HistoryRunReport(run, in: fixture.history).json
    #expect(
      json["changes"]?.array?.map { $0["outcome"] } == [
        "written", "was there already", "refused", "unknown", "not sent",
      ])
    #expect(json["ended"] == "1970-01-01T00:00:01Z" && json["finished"] == false && json["reason"] == nil)
    let job = RunRecordTests.run([], kind: .job)
    let jobJSON = try HistoryRunReport(job, in: fixture.history).json
    #expect(jobJSON["finished"] == nil && jobJSON["undo"] == "no" && jobJSON["reason"] != nil)
    #expect(["created", "updated", "deleted"].allSatisfy { jobJSON[$0] == nil && json[$0] != nil })
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
    do { _ = try fixture.history.lastUndoable(in: target) } catch UndoError.lastIsUndo(_, let run) {
      before = run
    }
    #expect(before == "one")
  }
}
