import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import RecordChanges

@Suite("Runs in the history") struct RunRecordTests {
  typealias Outcome = RunRecord.Entry.Outcome

  private static let target = ContainerIdentity(name: "memory:", environment: .development)

  static func run(
    _ outcomes: [Outcome], kind: RunRecord.Kind = .person, id: String = "run", undoes: UndoGoal? = nil
  ) -> RunRecord {
    var run = RunRecord(
      id: id, command: "seed apply", kind: kind, target: target, started: Timestamp(milliseconds: 0),
      undoes: undoes)
    run.entries = outcomes.enumerated().map { index, outcome in
      RunRecord.Entry(
        change: RecordChange(
          .update, recordType: "Feed", recordName: "r\(index)",
          fields: ["a": FieldChange(to: .int64(1)), "b": FieldChange(to: .int64(1))]), outcome: outcome)
    }
    run.knowsGoal = true
    run.ended = Timestamp(milliseconds: 1000)
    return run
  }

  @Test(
    "what an outcome says about the record",
    arguments: [
      (.notSent, false, false), (.unknown, false, true), (.written, true, true), (.found, true, false),
      (.refused, false, false),
    ] as [(Outcome, Bool, Bool)])
  func outcome(outcome: Outcome, isDone: Bool, mayStand: Bool) {
    #expect(outcome.isDone == isDone && outcome.mayStand == mayStand)
    #expect(Self.run([.written, outcome]).isFinished == isDone)
    #expect(Self.run([outcome]).counts.updated == (outcome == .written ? 1 : 0))
  }

  @Test("a run counts what it wrote, withheld records too; a job counts by itself")
  func counts() {
    var run = Self.run([.written, .found, .written])
    run.entries[0].change.action = .create
    run.entries[2].change.action = .delete
    run.withheld.add(.create, 4)
    run.withheld.add(.update)
    run.withheld.add(.delete, 2)
    #expect([run.counts.created, run.counts.updated, run.counts.deleted, run.counts.total] == [5, 1, 3, 9])
    run.jobCounts = RunRecord.Counts()
    #expect(run.counts.total == 0)
    run.knowsGoal = false
    #expect(!run.isFinished && Self.run([]).isFinished)
  }

  @Test("a run does not end before it started, whatever clock stated the two times", arguments: [-1, 0, 1])
  func end(after milliseconds: Int64) throws {
    let run = Self.run([])
    let end = RunFileLine(ended: Timestamp(milliseconds: milliseconds)).json
    let read = try RunRecord(parsing: run.head.bytes() + Array("\n".utf8) + end.bytes() + Array("\n".utf8))
    #expect(read.ended == Timestamp(milliseconds: max(0, milliseconds)))
  }

  @Test(
    "an id has the time and six digits of chance",
    arguments: [
      (0, "000000"), (1, "000001"), (0xABCDE, "0abcde"), (0xFF_FFFF, "ffffff"), (0x1FF_FFFF, "ffffff"),
      (0x100_0000, "000000"),
    ])
  func ids(random: UInt32, suffix: String) {
    #expect(
      RunID.make(at: Timestamp(milliseconds: 1_767_323_045_678), random: random)
        == "20260102T030405-\(suffix)")
  }

  // MARK: What still stands

  private func undo(
    _ outcomes: [Outcome], id: String = "undo", of run: String = "run", fields: [String] = ["a", "b"],
    found: [String: Set<String>] = [:]
  ) -> RunRecord {
    var undo = Self.run(outcomes, id: id, undoes: UndoGoal(runID: run, foundUndone: found))
    for index in undo.entries.indices {
      undo.entries[index].change.fields = undo.entries[index].change.fields.filter { fields.contains($0.key) }
    }
    return undo
  }

  @Test("what an undo wrote or found does not stand any more, field by field")
  func standing() {
    let run = Self.run([.written, .unknown, .refused])
    func standing(_ later: [RunRecord]) -> [String] {
      StandingChanges(later + [run]).entries(of: run).map {
        ([$0.change.recordName] + $0.change.fields.keys.sorted()).joined(separator: " ")
      }
    }
    #expect(standing([]) == ["r0 a b", "r1 a b"])
    #expect(standing([undo([.written])]) == ["r1 a b"])
    #expect(standing([undo([.written], fields: ["a"])]) == ["r0 b", "r1 a b"])
    #expect(standing([undo([.unknown, .refused])]) == ["r0 a b", "r1 a b"])
    #expect(standing([undo([], found: ["r1": [], "r0": ["b"]])]) == ["r0 a"])
    #expect(
      standing([undo([.written], fields: ["b"]), undo([.written], id: "first", fields: ["a"])]) == ["r1 a b"])
    let redo = undo([.written], id: "redo", of: "undo")
    #expect(standing([redo, undo([.written])]) == ["r0 a b", "r1 a b"])
    #expect(
      standing([undo([.written], id: "redo", of: "undo", fields: ["a"]), undo([.written])]) == [
        "r0 a", "r1 a b",
      ])
    var deletion = undo([.written])
    deletion.entries[0].change.action = .delete
    #expect(standing([deletion]) == ["r1 a b"])
  }

  @Test("a run can be undone while something of it stands")
  func reversibility() {
    func reversibility(_ run: RunRecord, after later: [RunRecord] = []) -> StandingChanges.Reversibility {
      StandingChanges(later + [run]).reversibility(of: run)
    }
    let run = Self.run([.written, .written])
    #expect(reversibility(run) == .yes && reversibility(Self.run([])) == .no("it wrote nothing"))
    #expect(reversibility(Self.run([.found, .refused])) == .no("it wrote nothing"))
    #expect(reversibility(run, after: [undo([.written])]) == .partly("1 of 2 records are left to undo"))
    #expect(reversibility(run, after: [undo([.written, .written])]) == .no("it is already undone"))
    var withheld = run
    withheld.withheld.add(.create)
    let one = "1 record is of types that users may create; their values are not kept"
    #expect(reversibility(withheld) == .partly(one))
    #expect(
      reversibility(withheld, after: [undo([.written])]) == .partly("1 of 2 records are left to undo; \(one)")
    )
    withheld.entries = []
    #expect(reversibility(withheld) == .no(one))
    withheld.withheld.add(.create)
    #expect(
      reversibility(withheld)
        == .no("2 records are of types that users may create; their values are not kept"))
    var schema = run
    schema.schema = "DEFINE SCHEMA"
    let former = "are not undone; 'history run --former-schema' prints the one before"
    #expect(reversibility(schema) == .no("schemas and the data deleted with them \(former)"))
    schema.jobCounts = RunRecord.Counts()
    #expect(reversibility(schema) == .no("schemas \(former)"))
  }

  @Test("a type is made by users when the schema lets them create records of it, or does not say")
  func userMade() throws {
    let schema = try Schema(
      parsing: """
        DEFINE SCHEMA CREATE ROLE Editor;
          RECORD TYPE Mine ( a STRING, GRANT CREATE TO "_icloud" );
          RECORD TYPE Any ( a STRING, GRANT CREATE TO "_world" );
          RECORD TYPE Edited ( a STRING, GRANT READ TO "_world", GRANT CREATE, WRITE TO Editor );
          RECORD TYPE Catalog ( a STRING, GRANT CREATE TO "_icloud" );
        """)
    let types = UserCreatedRecordTypes(schema, except: ["Catalog"])
    #expect(
      ["Mine", "Any", "Edited", "Catalog", "Unknown"].map(types.contains) == [true, true, false, false, true])
    #expect(UserCreatedRecordTypes(nil, except: ["Catalog"]).contains("Edited"))
    let changes = ["Mine", "Edited", "Any", "Mine"].map {
      RecordChange(.delete, recordType: $0, recordName: "x")
    }
    #expect(types.irreversible(changes).map { "\($0.recordType) \($0.count)" } == ["Any 1", "Mine 2"])
  }

  @Test("an id that no run has, or more than one")
  func unknownRun() {
    #expect(
      UnknownRunError(id: "x").description == "the history has no run 'x'"
        && UnknownRunError(id: "x").hint?.contains("--history DIR") == true)
    #expect(
      UnknownRunError(id: "x", last: "y").hint?.hasPrefix("The last run is y. List the runs with 'history'. ")
        == true)
    let several = UnknownRunError(id: "x", matching: ["a", "b", "c", "d", "e", "f"], last: "f")
    #expect(
      several.description == "several runs match 'x', the newest first: f, e, d, c, b"
        && several.hint == "Give the whole id.")
  }
}
