import CloudKitModel
import Testing

@testable import RecordChanges

@Suite("Requests of changes") struct ChangeBatchesTests {
  private func changes(_ names: [String]) -> [RecordChange] {
    names.map { RecordChange(.delete, recordType: "Feed", recordName: $0) }
  }

  @Test(
    "a request holds so many changes and bytes, at least one change, and each record once",
    arguments: [
      ([], 3, 1000, 0), (["a"], 3, 1000, 1), (["a", "b", "c"], 3, 1000, 3),
      (["a", "b", "c", "d"], 3, 1000, 3),
      (["a", "b"], 3, 402, 2), (["a", "b"], 3, 401, 1), (["a", "b"], 3, 1, 1), (["a", "b"], 1, 1000, 1),
      (["a", "b", "a", "c"], 9, 9000, 2), (["a", "a"], 9, 9000, 1),
    ])
  func length(names: [String], operations: Int, bytes: Int, length: Int) {
    let limits = ModifyRequestLimits(operations: operations, bytes: bytes)
    #expect(changes(names).batchLength(within: limits) == length)
  }

  @Test("the service takes 200 changes, of about 1.5 MB")
  func service() {
    #expect(changes((0..<201).map { "r\($0)" }).batchLength(within: .service) == 200)
    let large = (0..<3).map { name in
      RecordChange(
        .create, recordType: "Feed", recordName: "\(name)",
        fields: ["f": FieldChange(to: .bytes(Array(repeating: 0, count: 562_318)))])
    }
    // 749,757 bytes of base 64 and 242 around them.
    #expect(large.batchLength(within: .service) == 2)
  }

  @Test(
    "the size of a value in JSON",
    arguments: [
      (nil, 0), (.string("12345678"), 9), (.string("é"), 2), (.bytes([1, 2, 3]), 4), (.int64(1), 20),
      (.double(1), 20), (.timestamp(Timestamp(milliseconds: 0)), 20), (.reference(Reference("ab")), 42),
      (.list(of: .int64, [.int64(1), .int64(2)]), 42), (.list(of: .int64, []), 0),
    ] as [(FieldValue?, Int)])
  func size(value: FieldValue?, size: Int) {
    let change = RecordChange(
      .update, recordType: "Feed", recordName: "abc", fields: ["f": FieldChange(to: value)])
    #expect(change.estimatedSize == 200 + 3 + 1 + 40 + size)
  }

  @Test("only a create needs no change tag", arguments: RecordChange.Action.allCases)
  func tags(action: RecordChange.Action) {
    let change = RecordChange(action, recordType: "Feed", recordName: "a")
    let tagged = RecordChange(action, recordType: "Feed", recordName: "a", changeTag: "t")
    #expect(change.lacksChangeTag == (action != .create) && !tagged.lacksChangeTag)
    #expect(tagged.operation.kind.rawValue == action.rawValue && tagged.operation.changeTag == "t")
  }

  // MARK: Decisions about a pending change

  private static func record(_ fields: [String: FieldValue], type: String = "Feed", tag: String = "new")
    -> Record
  {
    Record(recordType: type, recordName: "a", fields: fields, changeTag: tag)
  }

  private static func change(
    _ action: RecordChange.Action, _ fields: [String: FieldChange] = [:], tag: String? = "old"
  ) -> RecordChange {
    RecordChange(action, recordType: "Feed", recordName: "a", changeTag: tag, fields: fields)
  }

  private static let one = FieldChange(from: .int64(1), to: .int64(2))

  /// A change, the record as it is, and the decision for editors and for jobs.
  static let decisions: [(RecordChange, Record?, refuse: String, reapply: String)] = [
    (change(.create), nil, "retry create", "retry create"), (change(.delete), nil, "done", "done"),
    (change(.update, ["n": one]), nil, "another client deleted it", "another client deleted it"),
    (
      change(.update, ["n": one]), record([:], type: "Other"), "the name belongs to a record of type Other",
      "the name belongs to a record of type Other"
    ), (change(.delete), record([:], tag: "old"), "retry delete", "retry delete"),
    (change(.delete), record([:]), "another client changed it since it was planned", "retry delete"),
    (change(.update, ["n": one]), record(["n": .int64(1)]), "retry update n", "retry update n"),
    (change(.update, ["n": one]), record(["n": .int64(2)]), "done", "done"),
    (change(.update, ["n": one]), record(["n": .int64(3)]), "another client changed n", "retry update n"),
    (
      change(.update, ["n": one, "m": one]), record(["n": .int64(3), "m": .int64(4)]),
      "another client changed m, n", "retry update m n"
    ),
    (
      change(.update, ["n": one, "m": one]), record(["n": .int64(1), "m": .int64(2)]), "retry update n",
      "retry update n"
    ),
    (
      change(.create, ["n": FieldChange(to: .int64(2)), "m": FieldChange(to: .int64(2))]),
      record(["n": .int64(1)]),
      "a record with this name already exists, with another m", "retry update m n"
    ), (change(.create, ["n": FieldChange(to: .int64(2))]), record(["n": .int64(2)]), "done", "done"),
  ]

  @Test("the current record decides about a change that met another one", arguments: decisions)
  func decision(change: RecordChange, current: Record?, refuse: String, reapply: String) {
    for (policy, expected) in [(ConflictPolicy.refuse, refuse), (.reapply, reapply)] {
      let decision =
        switch change.resolve(against: current, policy: policy) {
        case .alreadyApplied: "done"
        case .conflict(let reason): reason
        case .retry(let change):
          (["retry", change.action.rawValue] + change.fields.keys.sorted()).joined(separator: " ")
        }
      #expect(decision == expected)
    }
    if let current, reapply.hasPrefix("retry") {
      #expect(change.reapplied(to: current)?.changeTag == current.changeTag)
    }
  }
}
