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
      plan.text(.plain).description.hasSuffix("would delete 2 of 3 records\n  · c: no record has this name\n")
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
    let text = try await RecordDeletion(named: ["a", "b", "c", "d"], in: library).details.description
    let lines = text.split(separator: "\n")
    #expect(lines.count == 4 && !text.unicodeScalars.contains("\u{202E}"))
    #expect(lines.first == "- Book a  \"a\"")
    #expect(lines.map { $0.contains("12 readers") } == [false, true, false, false])
    #expect(lines.map { $0.hasSuffix(", 1 reader") } == [false, false, true, false])
    #expect(lines.last?.hasPrefix("- Author d  \"Ann") == true && lines.last?.hasSuffix(" d\"") == true)
    let matching = try await RecordDeletion(matching: Query("Author"), in: library)
    #expect(matching.details.description.contains("12 readers"))
  }

  @Test("a filter deletes what it finds, over several pages")
  func matching() async throws {
    let library = try await Library.container((0..<205).map { "book \($0)" })
    let query = Query("Book", filters: [Filter("pages", .equals, .int64(8))])
    let plan = try await RecordDeletion(matching: query, in: library)
    #expect(plan.changes.count == 105)
  }

  @Test("the report counts what was deleted, and says what was not")
  func carriedOut() async throws {
    let library = try await Library.container(["a", "b"])
    let plan = try await RecordDeletion(named: ["a", "b"], in: library)
    let done = plan.carriedOut(
      ChangeReport(results: [(plan.changes[0], .applied), (plan.changes[1], .conflict("it changed"))]))
    #expect(done.status == .partial)
    #expect(done.json["deleted"] == .integer(1))
    #expect(done.json["remaining"]?.array?.count == 1)
    #expect(done.text(.plain).description == "deleted 1 of 2 records\n")
    #expect(done.failure != nil)
  }
}
