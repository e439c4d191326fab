import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Records

@Suite struct RecordEditTests {
  @Test("an update writes only the fields that differ")
  func update() async throws {
    let library = try await Library.container(["Emma"])
    let edit = try await RecordEdit(
      updating: "Emma", of: "Book", ["title": .string("Emma"), "pages": .int64(400)], in: library)
    #expect(edit?.change.fields.keys.sorted() == ["pages"])
    #expect(edit?.change.changeTag != nil)
    let none = try await RecordEdit(updating: "Emma", of: "Book", ["pages": .int64(4)], in: library)
    #expect(none == nil)
  }

  @Test("null removes a field")
  func removal() async throws {
    let library = try await Library.container(["Emma"])
    let edit = try await RecordEdit(updating: "Emma", of: "Book", ["title": FieldValue?.none], in: library)
    #expect(edit?.change.fields["title"]?.to == nil)
    #expect(edit?.change.fields["title"]?.from == .string("Emma"))
  }

  @Test("a record that does not exist, or has another type, is not updated")
  func refused() async throws {
    let library = try await Library.container(["Emma"])
    let absent = await #expect(throws: CommandFailure.self) {
      try await RecordEdit(updating: "Ema", of: "Book", [:], in: library)
    }
    #expect(absent?.code == "NOT_FOUND")
    let other = await #expect(throws: CommandFailure.self) {
      try await RecordEdit(updating: "Emma", of: "Author", ["name": .string("x")], in: library)
    }
    #expect(other?.message == "record 'Emma' is of the type Book, not Author")
  }

  @Test("a name that is taken by other values is refused before anything is sent")
  func taken() async throws {
    let library = try await Library.container(["Emma"])
    let same = RecordEdit(creating: "Book", named: "Emma", ["title": .string("Emma")])
    try await same.requireUntaken(in: library)
    let other = RecordEdit(creating: "Book", named: "Emma", ["title": .string("Persuasion")])
    let failure = await #expect(throws: CommandFailure.self) { try await other.requireUntaken(in: library) }
    #expect(failure?.code == "conflict")
  }

  @Test("a plan shows a record name only when it was given")
  func plan() {
    let named = RecordEdit(creating: "Book", named: "Emma", ["title": .string("Emma")])
    let unnamed = RecordEdit(creating: "Book", named: nil, ["title": .string("Emma")])
    #expect(named.json["changes"]?.array?.first?["recordName"]?.string == "Emma")
    #expect(unnamed.json["changes"]?.array?.first?["recordName"] == nil)
    #expect(named.text(.plain).description == "would create a Book of 1 field\n")
  }
}
