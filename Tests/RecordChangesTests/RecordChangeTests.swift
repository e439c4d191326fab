import CloudKitModel
import RecordChanges
import Testing

@Suite struct RecordChangeTests {
  private let record = Record(
    recordType: "Feed", recordName: "a", fields: ["title": .string("A"), "tags": .strings(["x"])],
    changeTag: "t1")

  @Test("only fields that differ are changed, and fields of other owners are ignored")
  func changedFieldsOnly() {
    let change = RecordChange.toward(
      ["title": .string("B"), "tags": .strings(["x"])], recordType: "Feed", recordName: "a", existing: record)
    #expect(change?.action == .update)
    #expect(change?.changeTag == "t1")
    #expect(change?.fields == ["title": FieldChange(from: .string("A"), to: .string("B"))])
  }

  @Test("other code points for the same characters are a change, and a line says what differs")
  func codePoints() throws {
    let record = Record(
      recordType: "Feed", recordName: "a",
      fields: ["title": .string("Cafe\u{301}"), "tags": .strings(["cafe\u{301}"])])
    let desired: [String: FieldValue?] = ["title": .string("Caf\u{E9}"), "tags": .strings(["caf\u{E9}"])]
    let change = try #require(
      RecordChange.toward(desired, recordType: "Feed", recordName: "a", existing: record))
    #expect(change.fields.keys.sorted() == ["tags", "title"])
    let lines = change.fields.sorted { $0.key > $1.key }.map { FieldChangeText().line($0.key, $0.value) }
    #expect(
      lines.map { Array($0.utf8) }
        == [
          "title: \"Cafe\u{301}\" with other code points for the same characters (Unicode normalization)",
          "tags: + caf\u{E9}; - cafe\u{301}",
        ].map { Array($0.utf8) })
  }

  @Test("equal values make no change")
  func nothingToDo() {
    #expect(
      RecordChange.toward(["title": .string("A")], recordType: "Feed", recordName: "a", existing: record)
        == nil)
  }

  @Test("an absent list and an empty one are the same")
  func emptyList() {
    let bare = Record(recordType: "Feed", recordName: "a", changeTag: "t1")
    #expect(
      RecordChange.toward(["tags": .strings([])], recordType: "Feed", recordName: "a", existing: bare) == nil)
    #expect(
      RecordChange.toward(["tags": .strings([])], recordType: "Feed", recordName: "a", existing: record)
        != nil)
  }

  @Test("a desired nil clears the field")
  func clearing() {
    let change = RecordChange.toward(["title": nil], recordType: "Feed", recordName: "a", existing: record)
    #expect(change?.fields == ["title": FieldChange(from: .string("A"), to: nil)])
  }
}
