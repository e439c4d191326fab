import CloudKitModel
import Diagnostics
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import Records

@Suite struct RecordDeletionTests {
  @Test("named records are deleted once each, and names without a record are listed")
  func named() async throws {
    let library = try await Library.container(["a", "b"])
    let plan = try await RecordDeletion(named: ["b", "a", "b", "c"], in: library)
    #expect(plan.changes.map(\.recordName) == ["a", "b"])
    #expect(plan.changes.allSatisfy { $0.changeTag != nil })
    #expect(plan.json["missing"]?.array == [.string("c")])
    #expect(plan.json["dryRun"] == .bool(true))
    #expect(
      plan.text(.plain).description.contains(
        "would delete 2 of 3 records\n· c: no record has this name, slug or address")
    )
  }

  @Test("records are shown with their titles and readers")
  func details() async throws {
    let library = try await Library.container(["a"])
    try await library.importSchema(
      Library.schema.replacing(
        "name STRING,", with: "\"___recordID\" REFERENCE QUERYABLE, name STRING, subscriberCount INT64,"))
    for (name, readers) in [("b", Int64(12)), ("c", 1), ("d", 0)] {
      _ = try await library.modify([
        RecordOperation(
          .create, recordType: "Author", recordName: name,
          fields: ["name": .string("Ann\n\u{202E} \(name)"), "subscriberCount": .int64(readers)])
      ])
    }
    let text = try await RecordDeletion(named: ["a", "b", "c", "d"], in: library).details.text().description
    let lines = text.split(separator: "\n")
    #expect(lines.count == 4 && !text.unicodeScalars.contains("\u{202E}"))
    #expect(lines.first == "- Book a  \"a\"")
    #expect(lines.map { $0.contains("12 readers") } == [false, true, false, false])
    #expect(lines.map { $0.hasSuffix(", 1 reader") } == [false, false, true, false])
    #expect(lines.last?.hasPrefix("- Author d  \"Ann") == true && lines.last?.hasSuffix(" d\"") == true)
    let matching = try await RecordDeletion(matching: Query("Author"), in: library)
    #expect(matching.details.text().description.contains("12 readers"))
  }

  @Test("the readers that are known count, and a plan names its risks until it is carried out")
  func risks() async throws {
    var plan = try await RecordDeletion(named: ["a"], in: Library.container(["a"]))
    #expect(plan.json["risks"] == nil && !plan.text(.plain).description.contains("risks:"))
    plan.risks = ChangeRisks(
      names: ["subscriber-loss", "data-loss"], readers: ["a": ReaderCount(subscriptions: 8)])
    #expect(
      plan.text(.plain).description == """
        - Book a  "a", 8 readers
        would delete 1 of 1 record
        risks: applying this needs --accept-risk data-loss --accept-risk subscriber-loss
          data-loss: data is deleted
          subscriber-loss: readers lose a feed that is deleted or gets a new record

        """)
    #expect(plan.json["risks"] == ["data-loss", "subscriber-loss"])
    let done = plan.carriedOut(ChangeReport(results: [(plan.changes[0], .applied)]))
    #expect(done.json["risks"] == nil && !done.text(.plain).description.contains("risks:"))
  }

  @Test(
    "at most 200 records are listed",
    arguments: [
      (0, 0, nil), (1, 1, nil), (200, 200, nil), (201, 200, "… and 1 more"), (203, 200, "… and 3 more"),
    ]
      as [(Int, Int, String?)])
  func listed(count: Int, shown: Int, rest: String?) async throws {
    let library = try await Library.container()
    let books = (0..<count).map { RecordOperation(.create, recordType: "Book", recordName: "book \($0)") }
    for part in [books.prefix(200), books.dropFirst(200)] { _ = try await library.modify(Array(part)) }
    let lines = try await RecordDeletion(matching: Query("Book"), in: library).details.text().description
      .split(separator: "\n").map(String.init)
    #expect(lines.count == shown + (rest == nil ? 0 : 1))
    #expect(lines.count { $0.hasPrefix("- Book book ") } == shown)
    if let rest { #expect(lines.last == rest) }
  }

  /// Names to delete, whether the deletion was carried out, and whether its text only confirms success.
  static let confirmations: [([String], isWritten: Bool, Bool)] = [
    ([], false, true), (["a"], false, false), (["a"], true, true), (["x"], false, false),
    (["x"], true, false),
    (["a", "x"], true, false),
  ]

  @Test("only a deletion of everything that was named is a confirmation", arguments: confirmations)
  func confirmation(names: [String], isWritten: Bool, isConfirmation: Bool) async throws {
    let library = try await Library.container(["a"])
    var deletion = try await RecordDeletion(named: names, in: library)
    if isWritten {
      deletion = deletion.carriedOut(ChangeReport(results: deletion.changes.map { ($0, .applied) }))
    }
    #expect(deletion.isConfirmation == isConfirmation)
    #expect(deletion.json["dryRun"] == .bool(!isWritten) && (deletion.json["changes"] == nil) == isWritten)
    #expect(deletion.json["requested"] == .integer(Int64(names.count)))
  }

  @Test("a record that is gone already counts as deleted")
  func alreadyDeleted() async throws {
    let plan = try await RecordDeletion(named: ["a", "b", "c"], in: Library.container(["a", "b", "c"]))
    #expect(plan.json["deleted"] == 0 && plan.json["remaining"]?.array?.count == 3)
    let done = plan.carriedOut(
      ChangeReport(results: zip(plan.changes, [.applied, .alreadyApplied, .applied]).map { ($0, $1) }))
    #expect(done.json["deleted"] == 3 && done.json["remaining"] == [] && done.failure == nil)
    #expect(done.text(.plain).description == "deleted 3 of 3 records\n")
  }

  @Test("records that go with the deleted ones are part of the plan")
  func cascades() async throws {
    let library = try await Library.container(["a"])
    let schema = Library.schema.replacing(
      "name STRING,", with: "\"___recordID\" REFERENCE QUERYABLE, wrote REFERENCE QUERYABLE,")
    try await library.importSchema(schema)
    _ = try await library.modify([
      RecordOperation(
        .create, recordType: "Author", recordName: "ann",
        fields: ["wrote": .reference(Reference("a", action: .deleteSelf))])
    ])
    let references = ReferenceFields([], in: try Schema(parsing: schema, name: "library.ckdb"))
    let plan = try await RecordDeletion(named: ["a"], in: library)
    #expect(plan.changes.map(\.recordName) == ["a"])
    let whole = try await plan.withCascades(references, in: library)
    #expect(whole.changes.map(\.recordName) == ["ann", "a"])
  }
}
