import CloudKitModel
import Diagnostics
import LocalContainer
import Testing

@testable import Records

@Suite struct RecordCountTests {
  @Test("records are counted in total")
  func total() async throws {
    let count = try await RecordCount(of: Query("Book"), by: nil, in: Library.container(["a", "b"]))
    #expect(count.total == 2)
    #expect(count.json.text() == #"{"recordType":"Book","count":2,"complete":true}"#)
    #expect(count.text(.plain).description == "        2  Book\n")
    let none = try await RecordCount(of: Query("Book"), by: "pages", in: Library.container())
    #expect(none.total == 0 && none.text(.plain).description == "        0  Book\n")
  }

  @Test("the value with most records comes first, and equal numbers in the order of the texts")
  func groups() async throws {
    let library = try await Library.container(["ddd", "a", "b", "ccc", "eee", "ff", "gg", "hhhh"])
    let count = try await RecordCount(of: Query("Book"), by: "pages", in: library)
    #expect(
      count.text(.plain).description.split(separator: "\n") == [
        "        3  3", "        2  1", "        2  2", "        1  4", "        8  Book",
      ])
    #expect(
      count.json["groups"]?.text()
        == #"[{"value":"3","count":3},{"value":"1","count":2},{"value":"2","count":2},{"value":"4","count":1}]"#
    )
    #expect(count.json["by"] == "pages" && count.json["count"] == 8)
  }

  @Test("records without the field are a group of their own")
  func absent() async throws {
    let count = try await RecordCount(of: Query("Book"), by: "added", in: Library.container(["a"]))
    #expect(count.json["groups"]?.text() == #"[{"value":"","count":1}]"#)
  }
}
