import CloudKitModel
import ContainerFaults
import Diagnostics
import RecordChanges
import SchemaLanguage
import Testing

@testable import Records

@Suite struct RecordFileTests {
  private func file(_ text: String, _ schema: Schema?) throws -> RecordFile {
    try RecordFile(SourceText(name: "books.jsonl", text), schema: schema)
  }

  @Test("plain values get the types that the schema declares")
  func plainValues() throws {
    let line =
      #"{"recordType": "Book", "recordName": "a", "fields": {"pages": 3, "added": "2026-01-31T12:00:00Z"}}"#
    let records = try file(line, Library.parsed()).records
    #expect(records.first?.fields == ["pages": .int64(3), "added": .timestamp(Library.now)])
  }

  @Test("typed values are read as they are, with or without a schema")
  func typedValues() throws {
    let line =
      #"{"recordType": "Book", "recordName": "a", "fields": {"title": {"value": "x", "type": "STRING"}}}"#
    for schema in [nil, try Library.parsed()] {
      #expect(try file(line, schema).records.first?.fields == ["title": .string("x")])
    }
  }

  @Test("a value that does not fit is found at its line")
  func badValue() throws {
    let text = """
      {"recordType": "Book", "recordName": "a", "fields": {}}
      {"recordType": "Book", "recordName": "b", "fields": {"pages": "many"}}
      """
    let failure = #expect(throws: CommandFailure.self) { try file(text, Library.parsed()) }
    #expect(failure?.diagnostics.map(\.code) == ["RC0102"])
    #expect(failure?.diagnostics.first?.range?.start.line == 2)
  }

  @Test("an import writes what differs and counts it")
  func imports() async throws {
    let library = try await Library.container(["a", "b"])
    let text = """
      {"recordType": "Book", "recordName": "a", "fields": {"pages": 1}}
      {"recordType": "Book", "recordName": "b", "fields": {"pages": 2}}
      {"recordType": "Book", "recordName": "c", "fields": {"pages": 3}}
      """
    let plan = try await RecordImport(file(text, Library.parsed()), in: library)
    #expect(plan.json["create"] == .integer(1))
    #expect(plan.json["update"] == .integer(1))
    #expect(plan.json["unchanged"] == .integer(1))
    #expect(
      plan.text(.plain).description.hasSuffix("would import 3 records: 1 new, 1 changed, 1 unchanged\n"))
  }

  @Test("an import reads the fields of its lines alone, and takes no refused lookup for a missing record")
  func lookups() async throws {
    let text = #"{"recordType": "Book", "recordName": "a", "fields": {"pages": 3}}"#
    let read = try file(text, Library.parsed())
    let library = FaultyContainer(try await Library.container(["a"]))
    #expect(try await RecordImport(read, in: library).changes.map(\.action) == [.update])
    guard case .lookup(let request)? = library.requests.first else {
      Issue.record("nothing was looked up")
      return
    }
    #expect(request.desiredKeys == ["pages"] && library.requests.count == 1)
    let refusing = FaultyContainer(library.base) { _ in .eachRecord(ServerError(.accessDenied, "no")) }
    let refusal = await #expect(throws: ServerError.self) { try await RecordImport(read, in: refusing) }
    #expect(refusal?.code == .accessDenied)
  }

  @Test("a type that the container does not have is refused with its line")
  func unknownType() async throws {
    let library = try await Library.container()
    let read = try file(#"{"recordType": "Bok", "recordName": "a", "fields": {}}"#, Library.parsed())
    let failure = await #expect(throws: CommandFailure.self) { try await RecordImport(read, in: library) }
    #expect(failure?.diagnostics.map(\.code) == ["RC0104"])
  }
}
