import CloudKitModel
import SchemaLanguage
import Testing

@testable import WebConsole

@Suite struct RecordColumnsTests {
  private func fields(_ declarations: String) throws -> [Field] {
    let schema = try Schema(parsing: "DEFINE SCHEMA\nRECORD TYPE T (\n\(declarations)\n);\n")
    return try #require(schema[recordType: "T"]).fields
  }

  @Test(
    "the first column is the title, else the name, else the first text",
    arguments: [
      ("a STRING, name STRING, title STRING", "title"), ("a STRING, name STRING QUERYABLE", "name"),
      ("n INT64, b STRING, a STRING", "b"), ("title INT64, name LIST<STRING>, z STRING", "z"),
      ("\"___etag\" STRING, s STRING SEARCHABLE", "s"), ("n INT64, l LIST<STRING>", nil),
      ("title ENCRYPTED STRING", "title"),
    ])
  func titles(_ declarations: String, _ title: String?) throws {
    #expect(RecordColumns.title(of: try fields(declarations)) == title)
  }

  private static let declarations = """
    added TIMESTAMP SORTABLE, flag INT64 QUERYABLE, note STRING, score DOUBLE SORTABLE, "___recordID" REFERENCE QUERYABLE,
    tags LIST<STRING> QUERYABLE, title STRING
    """

  private func record(_ fields: [String: FieldValue]) -> Record {
    Record(recordType: "T", recordName: "r", fields: fields)
  }

  @Test("what the app queries comes first, times and lists last; what says nothing is not suggested")
  func suggestion() throws {
    let records = [1, 2].map { number in
      record([
        "added": .timestamp(Timestamp(milliseconds: number)), "flag": .flag(false),
        "score": .double(Double(number)),
        "note": .string("n\(number)"), "title": .string("t\(number)"),
      ])
    }
    let columns = RecordColumns(try fields(Self.declarations), asked: [], records: records)
    #expect(columns.available == ["flag", "score", "note", "added", "tags"])
    #expect(columns.shown == ["score", "note", "added"])
    let one = RecordColumns(try fields(Self.declarations), asked: [], records: [records[0]])
    #expect(one.shown == ["flag", "score", "note", "added"])
    // Absent in one record and present in another is a difference.
    let half = RecordColumns(try fields(Self.declarations), asked: [], records: [records[0], record([:])])
    #expect(half.shown == ["flag", "score", "note", "added"])
    #expect(RecordColumns(try fields(Self.declarations), asked: [], records: []).shown == [])
  }
}
