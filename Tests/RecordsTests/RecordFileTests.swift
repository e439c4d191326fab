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
}
