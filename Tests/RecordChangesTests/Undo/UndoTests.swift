import CloudKitModel
import ContainerFaults
import Diagnostics
import Foundation
import LocalContainer
import Platform
import SchemaLanguage
import Testing

@testable import RecordChanges

@Suite("Undo") struct UndoTests {
  @Test("a run of creates, updates and deletes is undone to the last field, and the undo too")
  func roundTrip() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("a", ["title": .string("A"), "note": .string("n")])
    try await fixture.put("b", ["title": .string("B"), "category": .reference(Reference("a"))])
    let before = try await fixture.fields()
    try await fixture.write([
      fixture.create("c"), try await fixture.update("a", ["title": .string("A2"), "note": nil]),
      try await fixture.deletion("b"),
    ])
    let after = try await fixture.fields()
    let (plan, report) = try await fixture.undo()
    #expect(plan.skipped.isEmpty && report.isComplete)
    #expect(plan.risks.names == ["subscriber-loss"])
    #expect(try await fixture.fields() == before)
    try await fixture.undo("undo", as: "redo")
    #expect(try await fixture.fields() == after)
    // The undo was undone, so the run can be undone once more.
    try await fixture.undo("run", as: "again")
    #expect(try await fixture.fields() == before)
    await #expect(throws: UndoError.self) { try await fixture.plan() }
  }

  @Test("a field that another client changed since stays, and the others go back; strictly, none does")
  func foreignField() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("a", ["title": .string("A"), "note": .string("n")])
    try await fixture.write([
      try await fixture.update("a", ["title": .string("A2"), "note": .string("n2")])
    ])
    try await fixture.put("a", ["title": .string("editor")])
    #expect(try await fixture.plan(isStrict: true).changes.isEmpty)
    let (plan, _) = try await fixture.undo()
    #expect(plan.skipped.map(\.field) == ["title"])
    #expect(try await fixture.record("a")?.fields == ["title": .string("editor"), "note": .string("n")])
  }

  @Test("a created record stays when an editor or a reference needs it, and goes when only jobs wrote in it")
  func createdRecords() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write(
      ["job", "editor", "changed", "voted", "category", "gone"].map { fixture.create($0) })
    try await fixture.put("job", ["score": .int64(7)])
    try await fixture.put("editor", ["note": .string("mine")])
    try await fixture.put("changed", ["title": .string("mine")])
    try await fixture.put("vote", ["feed": .string("voted")], type: "Vote")
    try await fixture.put("other", ["category": .reference(Reference("category"))])
    try await fixture.delete("gone")
    let (plan, _) = try await fixture.undo()
    #expect(plan.changes.map(\.recordName) == ["job"])
    #expect(plan.unchanged == 1)
    let reasons = plan.skipped.reduce(into: [:]) { $0[$1.recordName] = $1.reason }
    #expect(
      reasons == [
        "editor": "note was changed since", "changed": "title was changed since",
        "voted": "a Vote record refers to it", "category": "a Feed record refers to it",
      ])
    #expect(
      plan.skipped.reduce(into: [:]) { $0[$1.recordName] = $1.cause }
        == ["editor": .changed, "changed": .changed, "voted": .referred, "category": .referred])
  }

  @Test("what the run made together goes together, referrers first; restored records come targets first")
  func order() async throws {
    let fixture = try await UndoFixture()
    let child = fixture.create("child", ["category": .reference(Reference("parent", action: .validate))])
    try await fixture.write([fixture.create("parent"), child])
    #expect(try await fixture.undo().plan.changes.map(\.recordName) == ["child", "parent"])
    try await fixture.undo("undo", as: "redo")
    let deletions = [try await fixture.deletion("child"), try await fixture.deletion("parent")]
    try await fixture.write(deletions, as: "delete")
    let (plan, report) = try await fixture.undo("delete", as: "restore")
    #expect(plan.changes.map(\.recordName) == ["parent", "child"])
    #expect(report.isComplete)
    #expect(try await fixture.record("child")?["category"]?.reference?.action == .validate)
  }

  @Test(
    "a circle of VALIDATE is opened before its records are deleted, and what was cut off there is finished")
  func circle() async throws {
    let moments: [[FaultyContainer.Fault?]] = [
      [], [.after { throw CancellationError() }], [nil, .refuse(CancellationError())],
    ]
    for faults in moments {
      let fixture = try await UndoFixture()
      let made = [("a", "b"), ("b", "a")].map { name, target in
        fixture.create(name, ["category": .reference(Reference(target, action: .validate))])
      }
      #expect(try await fixture.write(made).isComplete)
      let before = try await fixture.fields()
      let dying = FaultyContainer(fixture.container, writes: faults)
      let (plan, report) = try await fixture.undo(through: dying)
      #expect(plan.skipped.isEmpty && plan.changes.map(\.clearedFirst.count).sorted() == [0, 1])
      #expect(report.isComplete == faults.isEmpty)
      if !faults.isEmpty {
        #expect(report.unknown > 0)
        #expect(try fixture.history.lastUndoable(in: fixture.container.identity).id == "run")
        let (rest, last) = try await fixture.undo(as: "undo again")
        #expect(rest.skipped.isEmpty && last.isComplete)
      }
      #expect(try await fixture.fields().isEmpty)
      // The way back takes two steps, too.
      let undone = faults.isEmpty ? "undo" : "undo again"
      let dyingAgain = FaultyContainer(fixture.container, writes: faults)
      #expect(try await fixture.undo(undone, as: "redo", through: dyingAgain).1.isComplete == faults.isEmpty)
      if !faults.isEmpty { #expect(try await fixture.undo(undone, as: "redo again").1.isComplete) }
      #expect(try await fixture.fields() == before)
    }
  }

  @Test("a deleted record that is there again stays, and an updated one that is gone cannot come back")
  func moved() async throws {
    let fixture = try await UndoFixture()
    for name in ["a", "b", "c"] { try await fixture.put(name, ["title": .string(name)]) }
    try await fixture.write([
      try await fixture.deletion("a"), try await fixture.update("b", ["title": .string("B")]),
      try await fixture.deletion("c"),
    ])
    try await fixture.put("a", ["title": .string("another")])
    try await fixture.delete("b")
    try await fixture.put("c", ["title": .string("c")])
    let (plan, _) = try await fixture.undo()
    #expect(plan.changes.isEmpty)
    #expect(plan.unchanged == 1)
    #expect(
      plan.skipped.map(\.reason).sorted() == [
        "a record with this name exists again", "the record was deleted since",
      ])
  }

  @Test("records that users may create are kept nowhere, and the history says so")
  func userMade() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("secret-vote", ["feed": .string("private")], type: "Vote")
    try await fixture.put("a", ["title": .string("A")])
    try await fixture.write([try await fixture.deletion("secret-vote")], as: "votes")
    try await fixture.write(
      [
        RecordChange(
          .create, recordType: "Vote", recordName: "secret-two",
          fields: ["feed": .init(to: .string("private"))]),
        try await fixture.deletion("a"),
      ], as: "both")
    let runs = try fixture.runs()
    #expect(runs.map(\.id) == ["both", "votes"])
    #expect(runs.map { StandingChanges(runs).reversibility(of: $0).word } == ["partly", "no"])
    #expect(runs.map(\.counts.deleted) == [1, 1])
    #expect(runs[0].counts.created == 1)
    let files = try FileManager.default.subpathsOfDirectory(atPath: fixture.folder)
    for file in files where file.hasSuffix(".jsonl") {
      let text = try String(contentsOfFile: "\(fixture.folder)/\(file)", encoding: .utf8)
      #expect(!text.contains("secret") && !text.contains("private"))
      let mode = try FileManager.default.attributesOfItem(atPath: "\(fixture.folder)/\(file)")[
        .posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
    }
    #expect(
      UserCreatedRecordTypes(nil).contains("Feed") && !UserCreatedRecordTypes(fixture.schema).contains("Feed")
    )
  }

  @Test("a run that was cut off is undone by what the records hold")
  func killed() async throws {
    for isCarriedOut in [true, false] {
      let fixture = try await UndoFixture()
      try await fixture.put("a", ["title": .string("A")])
      let before = try await fixture.fields()
      // The process dies with the first request: nothing is known of it afterwards.
      let dying = FaultyContainer(fixture.container) { request in
        guard case .modify(let operations) = request, operations.first?.recordType != "AdminLease" else {
          return nil
        }
        return isCarriedOut ? .after { throw CancellationError() } : .refuse(CancellationError())
      }
      let report = try await fixture.write(
        [fixture.create("b"), try await fixture.update("a", ["title": .string("A2")])], through: dying)
      #expect(report.unknown == 2)
      #expect(try fixture.runs()[0].entries.map(\.outcome) == [.unknown, .unknown])
      let (plan, _) = try await fixture.undo()
      #expect(plan.changes.count == (isCarriedOut ? 2 : 0))
      #expect(try await fixture.fields() == before)
    }
  }

  @Test("a file cut off in the middle of a line is read to the line before; other damage is refused")
  func damage() async throws {
    let fixture = try await UndoFixture()
    try await fixture.write([fixture.create("a")])
    let folder = "\(fixture.folder)/history"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    let lines = text.split(separator: "\n")
    #expect(!text.contains("withheld"), "no record of a type that users may create was written")
    func replace(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
    try replace(lines[0...2].joined(separator: "\n") + "\n{\"settled\":[{\"recordName\":\"a\",\"wri")
    #expect(try fixture.runs()[0].entries.map(\.outcome) == [.unknown])
    for damaged in [
      "", "{}", "x\n" + lines[1], lines[0] + "\n{\"se\n" + lines[3],
      text.replacing("\"schemaVersion\":1", with: "\"schemaVersion\":9"),
      lines[0].dropLast() + ",\"id\":\"twice\"}",
    ] {
      try replace(String(damaged))
      #expect(throws: FileFormError.self) { try fixture.history.run("run") }
    }
  }

  @Test("runs that cannot be undone are refused with the reason")
  func refusals() async throws {
    let fixture = try await UndoFixture()
    #expect(throws: UndoError.noRun) { try fixture.history.lastUndoable(in: fixture.container.identity) }
    try await fixture.put("a", ["title": .string("A")])
    let job = WriteSession(
      WritingJob("health check", kind: .job), container: fixture.container,
      dependencies: fixture.environment("job"))
    let change = try await fixture.update("a", ["score": .int64(1)])
    _ = try await job.run { try await $0.apply([change], policy: .reapply) }
    await #expect(throws: UndoError.self) { try await fixture.plan("job") }
    #expect(try fixture.runs()[0].counts.updated == 1)
    try await fixture.write([try await fixture.update("a", ["note": .string("n")])])
    #expect(try fixture.history.lastUndoable(in: fixture.container.identity).id == "run")
    let production = LocalContainer(store: fixture.container.store, environment: .production)
    await #expect(throws: UndoError.self) {
      _ = try await UndoPlanner(container: production, schema: nil, rules: .init())
        .plan("run", in: fixture.history)
    }
    var older = try #require(fixture.schema)
    older.recordTypes = older.recordTypes.map { type in
      var type = type
      type.fields.removeAll { $0.name == "note" }
      return type
    }
    await #expect(throws: UndoError.schemaLacks(["Feed.note"])) {
      _ = try await UndoPlanner(container: fixture.container, schema: older, rules: .init())
        .plan("run", in: fixture.history)
    }
    try await fixture.undo()
    #expect(throws: UndoError.lastIsUndo(id: "undo", before: nil)) {
      try fixture.history.lastUndoable(in: fixture.container.identity)
    }
    #expect(throws: UnknownRunError.self) { try fixture.history.run("nothing") }
  }

  @Test(
    "whatever other clients do in between, undo leaves their values and restores all others",
    arguments: 0..<60)
  func property(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try await UndoFixture()
    let names = (0..<8).map { "r\($0)" }
    let fields = ["title", "note", "score"]
    func value(_ field: String) -> FieldValue? {
      let number = Int64.random(in: 0..<4, using: &random)
      if number == 0 { return nil }
      return field == "score" ? .int64(number) : .string("v\(number)")
    }
    for name in names where Bool.random(using: &random) {
      try await fixture.put(name, ["title": .string("t"), "note": value("note"), "score": value("score")])
    }
    let before = try await fixture.fields()
    var changes: [RecordChange] = []
    for name in names {
      if before[name] == nil {
        if Bool.random(using: &random) { changes.append(fixture.create(name)) }
      } else {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: changes.append(try await fixture.deletion(name))
        case 1:
          changes.append(try await fixture.update(name, ["title": value("title"), "note": value("note")]))
        default: break
        }
      }
    }
    try await fixture.write(changes.filter { $0.action != .update || !$0.fields.isEmpty })
    let written = try await fixture.fields()
    var touched: [String: Set<String>] = [:]
    for name in names where Int.random(in: 0..<2, using: &random) == 0 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        try await fixture.delete(name)
        touched[name] = Set(fields)
      } else {
        let field = fields[Int.random(in: 0..<3, using: &random)]
        try await fixture.put(name, [field: value(field)])
        touched[name, default: []].insert(field)
      }
    }
    let foreign = try await fixture.fields()
    if try fixture.runs().isEmpty || fixture.runs()[0].counts.total == 0 { return }
    try await fixture.undo()
    let after = try await fixture.fields()
    for name in names {
      let isTouched = touched[name] != nil && foreign[name] != written[name]
      if !isTouched {
        #expect(after[name] == before[name], "\(name)")
        continue
      }
      for field in touched[name] ?? [] where foreign[name]?[field] != written[name]?[field] {
        let isJobs = field == "score" && after[name] == nil
        // A record that only a job wrote in may go; every other foreign value stays.
        #expect(isJobs || after[name]?[field] == foreign[name]?[field], "\(name).\(field)")
      }
    }
  }
}
