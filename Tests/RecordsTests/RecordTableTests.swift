import CloudKitModel
import Diagnostics
import Testing

@testable import Records

@Suite struct RecordTableTests {
  private let records = [
    Record(
      recordType: "Feed", recordName: "a",
      fields: [
        "title": .string("News, daily"), "count": .int64(-3), "tags": .list(of: .string, [.string("x")]),
        "data": .bytes(Array("hello".utf8)),
        "times": .list(of: .timestamp, [.timestamp(Timestamp(milliseconds: 0))]),
      ]),
    Record(
      recordType: "Feed", recordName: "b",
      fields: ["title": .string("=HYPERLINK(\"x\")"), "parent": .reference(Reference("a"))]),
  ]

  @Test("a long cell is cut to 60 characters")
  func clipped() {
    let long = Record(
      recordType: "Feed", recordName: "a", fields: ["t": .string(String(repeating: "x", count: 61))])
    let fits = Record(
      recordType: "Feed", recordName: "b", fields: ["t": .string(String(repeating: "y", count: 60))])
    let text = FoundRecords([long, fits]).rendered(as: .table, .plain).description
    #expect(text.contains("  " + String(repeating: "x", count: 59) + "…\n"))
    #expect(text.contains(String(repeating: "y", count: 60) + "\n"))
  }

  @Test("a record without any of the fields asked for is shown by its name")
  func nameOnly() {
    let text = FoundRecords(records, columns: ["count"]).rendered(as: .text, .plain).description
    #expect(text == "Feed a\n  count  -3\n\nFeed b\n\n2 records\n")
  }

  @Test("CSV quotes what needs it, and no cell is a formula")
  func csv() {
    let text = FoundRecords(records, columns: ["title", "count", "tags", "parent", "data", "times"])
      .rendered(as: .csv, .plain)
    #expect(
      text.description
        == """
        recordName,recordType,title,count,tags,parent,data,times\r
        a,Feed,"News, daily",-3,"[""x""]",,aGVsbG8=,"[""1970-01-01T00:00:00Z""]"\r
        b,Feed,"'=HYPERLINK(""x"")",,,a,,\r

        """.replacing("\\r\n", with: "\r\n"))
  }

  @Test("system fields are shown by their stored names, but never who created a record")
  func systemFields() {
    let stamp = RecordStamp(timestamp: Timestamp(milliseconds: 0), userRecordName: "_secret", deviceID: "d")
    let record = Record(
      recordType: "Feed", recordName: "a", changeTag: "t1", created: stamp, modified: stamp)
    let columns = ["___recordID", "___createTime", "___modTime", "___etag", "___createdBy", "___modifiedBy"]
    let row = FoundRecords([record], columns: columns).rendered(as: .csv, .plain).description
    #expect(row.contains("a,Feed,a,1970-01-01T00:00:00Z,1970-01-01T00:00:00Z,t1,,"))
    #expect(!row.contains("_secret"))
  }
}
