import CloudKitModel
import RecordChanges
import Testing

@Suite struct RecordChangeTests {
  private let record = Record(
    recordType: "Feed", recordName: "a", fields: ["title": .string("A"), "tags": .strings(["x"])],
    changeTag: "t1")

  @Test("only fields that differ are changed, and nobody else's are looked at")
  func changedFieldsOnly() {
    let change = RecordChange.toward(
      ["title": .string("B"), "tags": .strings(["x"])], recordType: "Feed", recordName: "a", existing: record)
    #expect(change?.action == .update)
    #expect(change?.changeTag == "t1")
    #expect(change?.fields == ["title": FieldChange(from: .string("A"), to: .string("B"))])
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
