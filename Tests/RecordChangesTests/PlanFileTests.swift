import ContainerFaults
import CustomDump
import Diagnostics
import RecordChanges
import Testing

@testable import CloudKitModel

@Suite struct PlanFileTests {
  private let target = ContainerIdentity(name: "memory:", environment: .development)

  private func plan(_ changes: [RecordChange]) -> PlanFile {
    PlanFile(
      command: "seed", target: target, created: Timestamp(milliseconds: 1_700_000_000_000), changes: changes)
  }

  private let everyKind: [String: FieldChange] = [
    "bytes": FieldChange(to: .bytes([0, 255])), "count": FieldChange(from: .int64(.min), to: .int64(.max)),
    "day": FieldChange(to: .timestamp(Timestamp(milliseconds: 1))),
    "empty": FieldChange(to: .list(of: .double, [])),
    "gone": FieldChange(from: .string("x"), to: nil), "ratio": FieldChange(to: .double(2)),
    "target": FieldChange(to: .reference(Reference("b", action: .validate))),
    "targets": FieldChange(to: .references(["b", "c"])),
    "where": FieldChange(to: .location(Location(latitude: 1.5, longitude: -2))),
  ]

  @Test("a plan reads back exactly as it was written, whatever the field types")
  func roundTrip() throws {
    let plan = plan([
      RecordChange(
        .update, recordType: "Feed", recordName: "a", label: "Ä \"quoted\"", changeTag: "t1",
        fields: everyKind),
      RecordChange(.delete, recordType: "Feed", recordName: "b", changeTag: "t2"),
    ])
    expectNoDifference(try PlanFile(parsing: plan.json.bytes(.pretty)), plan)
  }

  @Test("what a plan leaves to a person and its commit are kept, and guarded by the digest")
  func conflicts() throws {
    var plan = plan([])
    plan.conflicts = [
      PlanConflict(recordType: "Feed", slug: "a", reason: "two records have its URL", help: "Name one."),
      PlanConflict(recordType: "Feed", slug: "b", reason: "it waits"),
    ]
    plan.revision = "0f1e2d"
    plan.schemaDigest = "abcdef"
    let text = plan.json.text(.pretty)
    expectNoDifference(try PlanFile(parsing: Array(text.utf8)), plan)
    for edited in [
      text.replacing("it waits", with: "nothing"), text.replacing("0f1e2d", with: "0f1e2e"),
      text.replacing("abcdef", with: "abcdee"),
    ] {
      #expect(throws: FileFormError.self) { try PlanFile(parsing: Array(edited.utf8)) }
    }
  }

  @Test("a plan is found inside a command's JSON result")
  func insideResult() throws {
    let plan = plan([])
    let document: JSONValue = [
      "schemaVersion": 1, "result": ["create": 0, "changes": [], "plan": plan.json],
    ]
    expectNoDifference(try PlanFile(parsing: document.bytes()), plan)
  }

  @Test("a result whose shown half differs from its plan is refused")
  func shownHalf() throws {
    let plan = plan([
      RecordChange(
        .update, recordType: "Feed", recordName: "a", label: "alpha", changeTag: "t",
        fields: everyKind.merging(["title": FieldChange(from: .string("A"), to: .string("B"))]) { $1 }),
      RecordChange(.delete, recordType: "Feed", recordName: "b", label: "beta", changeTag: "t"),
    ])
    func parse(_ edit: (inout JSONObject) -> Void) throws -> PlanFile {
      var result: JSONObject = [
        "create": 0, "update": 1, "delete": 1,
        "changes": .array(plan.changes.map { .object($0.planJSON(slug: $0.label)) }), "plan": plan.json,
      ]
      edit(&result)
      return try PlanFile(parsing: JSONValue.object(["result": .object(result)]).bytes())
    }
    expectNoDifference(try parse { _ in }, plan)
    expectNoDifference(try parse { $0["requests"] = ["query": 3] }, plan)
    let edits: [(inout JSONObject) -> Void] = [
      { $0["changes"] = .array([.object(plan.changes[0].planJSON(slug: "alpha"))]) },
      { $0["changes"] = nil },
      { $0["changes"] = .array(plan.changes.reversed().map { .object($0.planJSON(slug: $0.label)) }) },
      { result in
        var change = plan.changes[0]
        change.fields["title"]?.to = .string("C")
        result["changes"] = .array([change, plan.changes[1]].map { .object($0.planJSON(slug: $0.label)) })
      },
      { $0["delete"] = 0 }, { $0["update"] = 0 }, { $0["create"] = 1 },
    ]
    for edit in edits {
      let error = #expect(throws: FileFormError.self) { _ = try parse(edit) }
      #expect(error.map { "\($0)".contains("its list of changes differs") } == true)
    }
  }

  @Test(
    "an edited, foreign or damaged plan is refused",
    arguments: [
      ("\"title\"", "\"tytle\""), ("\"kind\": \"celestra-admin plan\"", "\"kind\": \"other\""),
      ("\"schemaVersion\": 1", "\"schemaVersion\": 2"), ("{", ""),
    ])
  func tampered(find: String, replace: String) throws {
    let text = plan([
      RecordChange(
        .create, recordType: "Feed", recordName: "a", fields: ["title": FieldChange(to: .string("A"))])
    ]).json.text(.pretty)
    let edited = text.split(separator: find, maxSplits: 1, omittingEmptySubsequences: false).joined(
      separator: replace)
    #expect(edited != text)
    #expect(throws: FileFormError.self) { try PlanFile(parsing: Array(edited.utf8)) }
  }

  @Test("drift names each record that moved, and not those an interrupted run of the plan already wrote")
  func drift() async throws {
    let container = try await FaultyContainer.feeds(
      ["a", "b", "c"].map { Record(recordType: "Feed", recordName: $0) })
    var changes: [RecordChange] = []
    for name in ["a", "b", "c"] {
      changes.append(
        RecordChange(
          .update, recordType: "Feed", recordName: name,
          changeTag: try await container.record(name)?.changeTag,
          fields: ["title": FieldChange(to: .string("new"))]))
    }
    try await container.edit("a", ["title": .string("new")])
    // A field that the plan does not write, as a recount's, keeps no plan from being applied.
    try await container.edit("b", ["score": .int64(1)])
    try await container.edit("c", ["title": .string("other")])
    changes.append(RecordChange(.delete, recordType: "Feed", recordName: "gone", changeTag: "t"))
    let found = try await plan(changes).compared(with: container, references: Self.references)
    #expect(found.drift.map(\.change.recordName) == ["c"])
    #expect(found.drift.map(\.reason) == ["another run or client changed title"])
    #expect(found.done == ["a", "gone"])
  }

  private static let references = ReferenceFields(
    [ReferenceField("Feed", "category", .reference, to: ["Feed"])], in: nil)

  @Test("drift names a change whose target is gone, and a deletion of what something new refers to")
  func references() async throws {
    let container = try await FaultyContainer.feeds(
      ["target", "old", "leaf", "free"].map { Record(recordType: "Feed", recordName: $0) })
    let child = RecordChange(
      .create, recordType: "Feed", recordName: "child",
      fields: ["category": FieldChange(to: .reference(Reference("target")))])
    let made = RecordChange(
      .create, recordType: "Feed", recordName: "made",
      fields: ["category": FieldChange(to: .reference(Reference("child")))])
    // What the plan deletes itself keeps no record.
    try await container.edit("leaf", ["category": .reference(Reference("free"))])
    var deletions: [RecordChange] = []
    for name in ["leaf", "old", "free"] {
      deletions.append(RecordChange(deleting: try #require(try await container.record(name))))
    }
    let plan = plan([child, made] + deletions)
    #expect(try await plan.compared(with: container, references: Self.references).drift.isEmpty)
    try await container.edit("new", ["category": .reference(Reference("old"))])
    _ = try await container.base.modify([.init(.forceDelete, recordName: "target")])
    let drift = try await plan.compared(with: container, references: Self.references).drift
    #expect(
      drift.reduce(into: [:]) { $0[$1.change.recordName] = $1.reason } == [
        "child": "its category names 'target', which does not exist", "old": "a Feed record refers to it",
      ])
  }
}
