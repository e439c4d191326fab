import Diagnostics
import Foundation
import Testing

@testable import AdminCommands

@Suite("Rule catalog") struct RuleCatalogTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("codes and names are unique")
  func unique() {
    let codes = RuleCatalog.all.map(\.code)
    #expect(Set(codes).count == codes.count)
    #expect(RuleCatalog.codes == codes)
    let names = RuleCatalog.all.map(\.name)
    #expect(Set(names).count == names.count, "\(names.filter { name in names.count { $0 == name } > 1 })")
  }

  @Test(
    "the rules of a family have its letters and are in the order of their codes",
    arguments: RuleFamily.allCases)
  func families(family: RuleFamily) throws {
    let rules = try #require(RuleCatalog.pages.first { $0.family == family }).rules
    #expect(rules.allSatisfy { RuleFamily(code: $0.code) == family })
    #expect(rules.map(\.code) == rules.map(\.code).sorted())
    #expect(!rules.isEmpty)
  }

  @Test("every code in the sources is in the catalog, and every rule's code is in the sources")
  func codesOfSources() throws {
    let known = Set(RuleCatalog.all.map(\.code))
    let inSources = try Self.codesInSources()
    #expect(inSources.subtracting(known).sorted() == [])
    #expect(known.subtracting(inSources).sorted() == [])
  }

  /// The string literals of two capitals and four digits below Sources.
  private static func codesInSources() throws -> Set<String> {
    let folder = root.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var codes = Set<String>()
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      codes.formUnion(text.matches(of: /"([A-Z]{2}[0-9]{4})"/).map { String($0.1) })
    }
    return codes
  }

  @Test("every rule has its texts, and an example unless it says so", arguments: RuleCatalog.all)
  func texts(rule: Rule) {
    for text in [rule.summary, rule.rationale, rule.source, rule.name] { #expect(!text.isEmpty) }
    #expect(rule.summary.first?.isLowercase == false || rule.summary.hasPrefix("'"))
    #expect(!rule.summary.hasSuffix("."), "the page adds the full stop")
    #expect(rule.rationale.hasSuffix("."))
    #expect(rule.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    if rule.example.isEmpty { #expect(Self.withoutExample.contains(rule.code)) }
    #expect(rule.example != rule.useInstead || rule.example.isEmpty)
  }

  /// They depend on more than one text: a file that cannot be read, bytes that are no text, an answer of a container,
  /// a second schema, a list of queries.
  private static let withoutExample: Set = [
    "CK0100", "CK0102", "CK0114", "CK0199", "CK0410", "CK0411", "CK0412", "CK0413", "CK0601", "CK0602",
    "CK0603",
    "CU0301", "CU0302", "CU0303", "CU0304", "CU0305", "CU0306", "CU0307", "CU0402", "CU0403",
    "CU0404", "CU0406", "CU0408", "CU0501", "CU0502", "CU0503", "CU0504", "CU0505",
  ]

  @Test(
    "a rule is found by its code in any case", arguments: [("CK0203", "CK0203"), ("fh0302", "FH0302")])
  func lookup(word: String, code: String) {
    #expect(RuleCatalog.rules(word).map(\.code) == [code])
  }

  @Test("an unknown code is answered with the nearest one, a name with its code")
  func suggestions() {
    #expect(RuleCatalog.rules("CK9999").isEmpty)
    #expect(RuleCatalog.suggestion(for: "SE040") == "SE0401")
    #expect(RuleCatalog.suggestion(for: "Bad-Slug") == "SE0301")
  }

  /// `RECORD_DOCUMENTATION=1 swift test --filter RuleCatalogTests` writes the page.
  @Test("Documentation/Rules.md lists the rules")
  func documentation() throws {
    let file = Self.root.appending(path: "Documentation/Rules.md")
    let page = RuleCatalog.table
    if ProcessInfo.processInfo.environment["RECORD_DOCUMENTATION"] != nil {
      try page.write(to: file, atomically: true, encoding: .utf8)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(written == page, "stale: run RECORD_DOCUMENTATION=1 swift test --filter RuleCatalogTests")
  }
}
