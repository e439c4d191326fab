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

  @Test("an import reads the fields of its lines and what names records, and takes a missing record for new")
  func lookups() async throws {
    let text = #"{"recordType": "Book", "recordName": "a", "fields": {"pages": 3}}"#
    let read = try file(text, Library.parsed())
    let library = FaultyContainer(try await Library.container(["a"]))
    #expect(try await RecordImport(read, in: library).changes.map(\.action) == [.update])
    guard case .lookup(let request)? = library.requests.first else {
      Issue.record("nothing was looked up")
      return
    }
    #expect(request.desiredKeys == ["pages"] + Record.knownNameFields && library.requests.count == 1)
    let refusing = FaultyContainer(library.base) { _ in .eachRecord(ServerError(.accessDenied, "no")) }
    let refusal = await #expect(throws: ServerError.self) { try await RecordImport(read, in: refusing) }
    #expect(refusal?.code == .accessDenied)
  }

  /// A file, and where its findings are: line, first and last column behind it.
  static let findings: [(String, [String])] = [
    ("", []), ("\n \n\t\r\n", []), (#"{"recordType": "Book", "recordName": "a", "fields": {}}"#, []),
    ("!", ["RC0101 1:1-1:2"]), ("\n !", ["RC0101 2:2-2:3"]), ("\n7\n", ["RC0102 2:1-2:2"]),
    (#"{"recordType": "Book", "recordName": "a"}"#, ["RC0102 1:1-1:42"]),
    (
      #"{"recordType": "Book", "recordName": "a", "fields": {}}"# + "\n\n"
        + #"{"recordType": "Book", "recordName": "a", "fields": {}}"# + "\nx\n",
      ["RC0103 3:1-3:56", "RC0101 4:1-4:2"]
    ),
  ]

  @Test("each line that cannot be used has a finding at its place", arguments: findings)
  func places(text: String, findings: [String]) throws {
    var found: [String] = []
    do { _ = try file(text, Library.parsed()) } catch let failure as CommandFailure {
      found = failure.diagnostics.map { finding in
        guard let range = finding.range else { return finding.code }
        return
          "\(finding.code) \(range.start.line):\(range.start.column)-\(range.end.line):\(range.end.column)"
      }
    }
    #expect(found == findings)
  }

  @Test("a repeated name and the name of a record of another type are refused; a lease is left alone")
  func names() async throws {
    let line = #"{"recordType": "Author", "recordName": "a", "fields": {}}"#
    let repeated = #expect(throws: CommandFailure.self) { try file(line + "\n" + line, nil) }
    #expect(repeated?.diagnostics.map(\.message) == ["record 'a' is already in line 1"])
    let library = try await Library.container(["a"])
    let read = try file(line, nil)
    let other = await #expect(throws: CommandFailure.self) { try await RecordImport(read, in: library) }
    #expect(other?.diagnostics.map(\.message) == ["record 'a' is a Book in the container, not a Author"])
    let lease = try file(#"{"recordType": "AdminLease", "recordName": "lease-health", "fields": {}}"#, nil)
    #expect(try await RecordImport(lease, in: library).changes.isEmpty)
  }

  @Test("an import that was carried out counts what was written, and what was there already")
  func carriedOut() async throws {
    let library = try await Library.container(["a", "bb"])
    let lines = [("a", 1), ("bb", 7), ("c", 3), ("d", 4)].map {
      #"{"recordType": "Book", "recordName": "\#($0)", "fields": {"pages": \#($1)}}"#
    }
    let plan = try await RecordImport(file(lines.joined(separator: "\n"), Library.parsed()), in: library)
    #expect(plan.changes.map(\.recordName) == ["bb", "c", "d"] && !plan.isConfirmation)
    #expect(plan.json["changes"]?.array?.count == 3 && plan.json["written"] == 0)
    func done(_ outcomes: [ChangeReport.Outcome]) -> RecordImport {
      plan.carriedOut(ChangeReport(results: zip(plan.changes, outcomes).map { ($0, $1) }))
    }
    let whole = done([.applied, .applied, .alreadyApplied])
    #expect(whole.text(.plain).description == "imported 4 records: 1 new, 1 changed, 2 unchanged\n")
    #expect(
      whole.json.text() == #"{"read":4,"create":1,"update":1,"unchanged":2,"written":2,"remaining":[]}"#)
    #expect(whole.isConfirmation && whole.status == .done)
    let partly = done([.conflict("it changed"), .applied, .applied])
    #expect(partly.text(.plain).description == "imported 3 of 4 records: 2 new, 0 changed, 1 unchanged\n")
    #expect(partly.status == .partial && partly.json["remaining"]?.array?.count == 1)
    let same = try await RecordImport(file(lines[0], Library.parsed()), in: library)
    #expect(same.isConfirmation && same.changes.isEmpty)
  }
}
