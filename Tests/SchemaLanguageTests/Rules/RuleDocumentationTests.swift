import Diagnostics
import Foundation
import SchemaLanguage
import Testing

@Suite("Documentation of the rules") struct RuleDocumentationTests {
  /// `RECORD_DOCUMENTATION=1 swift test --filter RuleDocumentationTests` writes the page anew.
  @Test("Documentation/Rules.md says what the rules say")
  func current() throws {
    let file = BundledSchema.root.appendingPathComponent("Documentation/Rules.md")
    let page = SchemaRules.documentation
    if ProcessInfo.processInfo.environment["RECORD_DOCUMENTATION"] != nil {
      try page.write(to: file, atomically: true, encoding: .utf8)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(written == page, "stale: run RECORD_DOCUMENTATION=1 swift test --filter RuleDocumentationTests")
  }
}
