import CloudKitModel
import Diagnostics
import Foundation
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import Catalog

@Suite("Rules of the catalog's records") struct VerificationRuleTests {
  @Test(
    "the example of a rule has its finding, the records to use instead have none",
    arguments: VerificationCode.rules)
  func example(rule: Rule) async throws {
    #expect(try await codes(of: rule.example).contains(rule.code))
    #expect(try await codes(of: rule.useInstead) == [])
  }

  @Test("every finding names the command that corrects it", arguments: VerificationCode.rules)
  func command(rule: Rule) async throws {
    let findings = try await verification(of: rule.example).findings
    #expect(!findings.isEmpty)
    for finding in findings {
      #expect(
        finding.help?.contains("celestra-admin ") == true, "\(finding.code): \(finding.help ?? "no help")")
    }
  }

  @Test("a record name stands in a command as the shell takes it for one word that is no option")
  func shellWords() {
    for (name, word) in [
      ("a-b.C_1", "a-b.C_1"), ("-rf", "-- '-rf'"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("", "''"),
    ] {
      let command = VerificationHelp.delete([name]).replacing(" --accept-risk data-loss", with: "")
      #expect(command == "celestra-admin records delete \(word)")
    }
  }

  @Test("repeated feeds and metadata without a feed are corrected; what has readers stays")
  func fixes() async throws {
    let records = #"""
      {"recordType": "PublicFeed", "recordName": "a", "fields": {}}
      {"recordType": "PublicFeed", "recordName": "b", "fields": {}}
      {"recordType": "FeedCollection", "recordName": "best", "fields": {"feeds": {"value": [{"recordName": "b"}, {"recordName": "a"}, {"recordName": "b"}]}}}
      {"recordType": "FeedMetadata", "recordName": "of-a", "fields": {"feedReference": {"value": {"recordName": "a"}}}}
      {"recordType": "FeedMetadata", "recordName": "of-nothing", "fields": {}}
      {"recordType": "FeedMetadata", "recordName": "of-gone", "fields": {"feedReference": {"value": {"recordName": "gone"}}}}
      {"recordType": "FeedMetadata", "recordName": "of-read", "fields": {"feedReference": {"value": {"recordName": "read"}}}}
      {"recordType": "FeedSubscription", "recordName": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "fields": {"feedRecordName": {"value": "read"}}}
      """#
    let fixes = try await verification(of: records).fixes
    #expect(fixes.map(\.recordName) == ["best", "of-gone", "of-nothing"])
    #expect(fixes.map(\.action) == [.update, .delete, .delete])
    let feeds = fixes.first?.fields["feeds"]?.to?.elements?.compactMap(\.reference?.recordName)
    #expect(feeds == ["b", "a"])
    #expect(fixes.allSatisfy { $0.changeTag != nil })
  }

  @Test(
    "every article that repeats another one is deleted, but not one with another link, or another title and date"
  )
  func repeatedArticles() async throws {
    func article(
      _ name: String, guid: String = "g", url: String = "https://a.example/1", title: String = "T",
      published: Int = 5000
    ) -> String {
      #"""
      {"recordType": "PublicArticle", "recordName": "\#(name)", "fields": {"feedReference": {"value": {"recordName": "feed"}}, "guid": {"value": "\#(guid)"}, "url": {"value": "\#(url)"}, "title": {"value": "\#(title)"}, "publishedDate": {"value": \#(published), "type": "TIMESTAMP"}, "expiresAt": {"value": 20000, "type": "TIMESTAMP"}}}
      """#
    }
    let records =
      [#"{"recordType": "PublicFeed", "recordName": "feed", "fields": {}}"#]
      + (1...5).map { article("copy-\($0)") }
      + [
        article(CatalogRecordNames.article(feed: "feed", guid: "g")), article("dated", published: 6000),
        article("titled", title: "U"), article("linked", url: "https://a.example/2"),
        article("revised", title: "U", published: 6000), article("first", guid: "h"),
        article("revised-again", title: "U", published: 6000), article("second", guid: "h"),
      ]
    let result = try await verification(of: records.joined(separator: "\n"))
    #expect(
      result.fixes.map(\.recordName).sorted()
        == (1...5).map { "copy-\($0)" } + ["dated", "revised-again", "second", "titled"])
    #expect(result.fixes.allSatisfy { $0.action == .delete && $0.changeTag != nil })
    #expect(result.findings.map(\.code) == ["CV0501"])
    #expect(result.findings[0].help?.contains("celestra-admin container verify --fix") == true)
  }

  private func codes(of records: String) async throws -> [String] {
    try await verification(of: records).findings.map(\.code)
  }

  private func verification(of records: String) async throws -> CatalogVerifier.Result {
    let (container, schema) = try await container(records)
    let verifier = CatalogVerifier(container: container, schema: schema, now: Timestamp(milliseconds: 10_000))
    return try await verifier.verify(correcting: true)
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
