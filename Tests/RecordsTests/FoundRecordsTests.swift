import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import RecordChanges
import Testing

@testable import Records

@Suite struct FoundRecordsTests {
  private let book = Record(
    recordType: "Book", recordName: "a", fields: ["id": .int64(7), "title": .string("Emma")], changeTag: "t1")

  @Test("text shows all fields of a record, with their names aligned")
  func text() {
    #expect(
      FoundRecords([book]).text(.plain).description == """
        Book a
          id     7
          title  Emma

        1 record

        """)
  }

  @Test("JSON has the records with their tags, and whether these are all")
  func json() {
    let record =
      #"{"recordType":"Book","recordName":"a","fields":{"id":{"value":7,"type":"INT64"},"title":{"value":"Emma","type":"STRING"}},"recordChangeTag":"t1"}"#
    let whole = FoundRecords([book])
    #expect(whole.json.text() == #"{"records":["# + record + #"],"count":1,"complete":true}"#)
    #expect(whole.rendered(as: .jsonl, .plain).description == record + "\n")
    #expect(
      FoundRecords([book, book]).rendered(as: .jsonl, .plain).description == record + "\n" + record + "\n")
    #expect(FoundRecords([], isComplete: false).json.text() == #"{"records":[],"count":0,"complete":false}"#)
  }

  @Test("only a record that was written is a confirmation")
  func confirmation() {
    #expect(FoundRecords(written: book).isConfirmation && !FoundRecords([book]).isConfirmation)
    #expect(FoundRecords(written: book).json["complete"] == true)
  }

  static let absent = ServerError(.notFound, "Record not found")
  static let denied = ServerError(.accessDenied, "no")

  /// The refusals of some names, with the message and the names in its details.
  static let refusals: [([ServerError?], String?, details: Int)] = [
    ([], nil, 0), ([nil, nil], nil, 0),
    ([absent], "1 of 1 records not read; n0: NOT_FOUND: Record not found", 0),
    ([nil, denied], "1 of 2 records not read; n1: ACCESS_DENIED: no", 0),
    ([absent, nil, absent], "2 of 3 records not read; n0: NOT_FOUND: Record not found", 2),
    (
      [absent, denied, ServerError(.internalError, "no")], "3 of 3 records not read; n1: ACCESS_DENIED: no", 3
    ),
  ]

  @Test(
    "names that could not be read are a failure, which an error other than absence explains",
    arguments: refusals)
  func refused(errors: [ServerError?], message: String?, details: Int) {
    let names = errors.indices.map { "n\($0)" }
    let outcomes = zip(names, errors).map { name, error in
      error.map { RecordOutcome.failed(recordName: name, $0) } ?? .record(book)
    }
    let found = FoundRecords(of: names, outcomes)
    #expect(found.failure?.message == message && found.failure?.details.count ?? 0 == details)
    #expect(found.json["complete"] == .bool(message == nil) && found.isComplete)
    let missing = zip(names, errors).filter { $0.1 != nil }.map { JSONValue.string($0.0) }
    #expect(found.json["missing"] == (missing.isEmpty ? nil : .array(missing)))
  }

  @Test("a query reads the fields wanted and those it sorts by, up to the limit")
  func query() async throws {
    let library = FaultyContainer(try await Library.container(["a", "bb", "ccc"]))
    let query = Query("Book", sorts: [Sort("pages", ascending: false), Sort("title")])
    let found = try await FoundRecords(of: query, columns: ["title", "___etag"], limit: 2, in: library)
    #expect(found.records.map(\.recordName) == ["ccc", "bb"] && !found.isComplete)
    guard case .query(let request)? = library.requests.first else {
      Issue.record("nothing was queried")
      return
    }
    #expect(request.desiredKeys == ["title", "pages"])
    let head = found.rendered(as: .csv, .plain).description.prefix { $0 != "\r\n" }
    #expect(head == "recordName,recordType,title,___etag,pages")
    let all = try await FoundRecords(of: query, columns: nil, limit: 3, in: library)
    #expect(all.records.count == 3 && all.isComplete)
    #expect(all.rendered(as: .csv, .plain).description.hasPrefix("recordName,recordType,pages,title\r\n"))
  }

  @Test(
    "a value is shown in one line, and as a cell",
    arguments: [
      (.string("a b"), "a b", "a b"), (.string("a\nb"), #""a\nb""#, "a\nb"), (.int64(-3), "-3", "-3"),
      (.double(0.5), "0.5", "0.5"),
      (.timestamp(Timestamp(milliseconds: 0)), "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
      (.bytes([1, 2, 3]), "3 bytes", #""AQID""#), (.reference(Reference("x")), "→ x", "x"),
      (.list(of: .int64, [.int64(1), .int64(2)]), "[1, 2]", "[1,2]"),
    ] as [(FieldValue, String, String)])
  func values(value: FieldValue, display: String, cell: String) {
    #expect(value.display == display && value.cell == cell)
  }
}
