import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import Records

@Suite struct RecordEditTests {
  private func record(_ name: String, in container: LocalContainer) async throws -> Record {
    try await NamedRecord.find(name, KnownRecordType("Book", in: Library.parsed()), in: container)
  }

  @Test("an update writes only the fields that differ")
  func update() async throws {
    let library = try await Library.container(["Emma"])
    let emma = try await record("Emma", in: library)
    let edit = RecordEdit(emma, ["title": .string("Emma"), "pages": .int64(400)])
    #expect(edit?.change.fields.keys.sorted() == ["pages"])
    #expect(edit?.change.changeTag != nil)
    #expect(RecordEdit(emma, ["pages": .int64(4)]) == nil)
  }

  @Test("a record that does not exist, or has another type, is not updated")
  func refused() async throws {
    let library = try await Library.container(["Emma"])
    let absent = await #expect(throws: CommandFailure.self) { try await record("Ema", in: library) }
    #expect(absent?.code == "NOT_FOUND" && absent?.message == "no Book record has the name 'Ema'")
    let author = try KnownRecordType("Author", in: Library.parsed())
    let other = await #expect(throws: CommandFailure.self) {
      try await NamedRecord.find("Emma", author, in: library)
    }
    #expect(other?.message == "record 'Emma' is of the type Book, not Author")
  }

  @Test("a type with slugs finds a record by its slug, unless several have it; a name comes first")
  func slugs() async throws {
    let schema = Library.schema.replacing("name STRING,", with: "name STRING, slug STRING QUERYABLE,")
    let library = try await Library.container(["Emma"])
    try await library.importSchema(schema)
    let author = try KnownRecordType("Author", in: try Schema(parsing: schema, name: "library.ckdb"))
    for (name, slug) in [("a1", "austen"), ("a2", "a1"), ("a3", "twin"), ("a4", "twin")] {
      _ = try await library.modify([
        RecordOperation(.create, recordType: "Author", recordName: name, fields: ["slug": .string(slug)])
      ])
    }
    // Also without the schema, as with a key alone.
    for type in [author, try KnownRecordType("Author", in: nil)] {
      #expect(try await NamedRecord.find("austen", type, in: library).recordName == "a1")
    }
    #expect(try await NamedRecord.find("a1", author, in: library).recordName == "a1")
    let twins = await #expect(throws: CommandFailure.self) {
      try await NamedRecord.find("twin", author, in: library)
    }
    #expect(twins?.details.sorted() == ["a3", "a4"])
    let none = await #expect(throws: CommandFailure.self) {
      try await NamedRecord.find("bronte", author, in: library)
    }
    #expect(none?.message == "no Author record has the name or the slug 'bronte'")
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

  @Test("after a write the record is read again; a refusal says why it was not written")
  func afterWrite() async throws {
    let library = try await Library.container(["Emma"])
    let emma = try await record("Emma", in: library)
    let edit = try #require(RecordEdit(emma, ["pages": .int64(400)]))
    func after(_ outcome: ChangeReport.Outcome, in container: any Container) async throws -> Record {
      try await edit.record(after: ChangeReport(results: [(edit.change, outcome)]), in: container)
    }
    #expect(try await after(.applied, in: library) == emma)
    let unreadable = FaultyContainer(library) { _ in .refuse(ServerError(.accessDenied, "no")) }
    #expect(try await after(.applied, in: unreadable).fields == ["pages": .int64(400)])
    let conflict = await #expect(throws: CommandFailure.self) {
      try await after(.conflict("it changed"), in: library)
    }
    #expect(
      conflict?.message == "Emma was not updated, because it changed"
        && conflict?.hint == "Run the command again.")
    await #expect(throws: ServerError(.accessDenied, "no")) {
      try await after(.failed(ServerError(.accessDenied, "no")), in: library)
    }
    await #expect(throws: CommandFailure.self) { try await after(.notAttempted, in: library) }
  }
}
