import CloudKitModel
import Diagnostics
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import Records

@Suite struct RecordDeletionTests {
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
}
