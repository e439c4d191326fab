import Aggregates
import Diagnostics
import Foundation
import SchemaLanguage
import Testing

@Suite("Rules of aggregates") struct AggregateRuleTests {
  @Test(
    "the example of a rule has its finding, the file to use instead has none",
    arguments: AggregateRule.rules.filter { !$0.code.hasPrefix("AG03") })
  func example(rule: Rule) throws {
    #expect(try codes(in: rule.example).contains(rule.code))
    #expect(try codes(in: rule.useInstead) == [])
  }

  /// What reading the file finds, and then what the bundled schema lacks for it.
  private func codes(in text: String) throws -> [String] {
    let (file, diagnostics) = AggregateFile.load(SourceText(name: "aggregates.json", text))
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "schema/celestra.ckdb")
    let schema = try Schema(parsing: String(contentsOf: path, encoding: .utf8), name: "celestra.ckdb")
    let found = file.entries.flatMap { $0.declaration.check(against: schema, at: $0.place) }
    return (diagnostics + found).map(\.code)
  }
}
