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
