import Catalog
import CloudKitModel
import Diagnostics
import Foundation
import LocalContainer
import SchemaLanguage
import Testing

@Suite("Rules of the catalog's records") struct VerificationRuleTests {
  @Test(
    "the example of a rule has its finding, the records to use instead have none",
    arguments: VerificationRules.all)
  func example(rule: Rule) async throws {
    #expect(try await codes(of: rule.example).contains(rule.code))
    #expect(try await codes(of: rule.useInstead) == [])
  }

  private func codes(of records: String) async throws -> [String] {
    let (container, schema) = try await container(records)
    let verifier = CatalogVerifier(container: container, schema: schema, now: Timestamp(milliseconds: 10_000))
    return try await verifier.verify().findings.map(\.code)
  }

  /// A container with the records, a JSON object a line, under the bundled schema that has their types.
  private func container(_ records: String) async throws -> (LocalContainer, Schema) {
    let name = records.contains("LiveSession") ? "live-sessions" : "celestra"
    let file = RepositoryFile.root.appending(path: "schema/\(name).ckdb")
    let text = try String(contentsOf: file, encoding: .utf8)
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(text)
    let operations = try records.split(separator: "\n").map { line in
      let record = try Record(portableJSON: JSONValue(parsing: Array(line.utf8)))
      return RecordOperation(
        .create, recordType: record.recordType, recordName: record.recordName, fields: record.fields)
    }
    for outcome in try await container.modify(operations) { if let error = outcome.error { throw error } }
    return (container, try Schema(parsing: text, name: name))
  }
}
