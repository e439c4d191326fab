import CustomDump
import Diagnostics
import Testing

/// A family of two rules: one with every part, one with the required parts only.
private enum SampleCode: String, RuleCode {
  case full = "CK9001"
  case short = "CV9002"

  static let page = RulePage(
    .schema,
    Array(
      """
      # Rules

      The tool reads this page.

      What is found.

      ### CK9001 missing-index (warning, error of lists): a field | an index (if any)
      It is slow.

      Example:
      ```
      A

      B
      ```
      Use instead:
      ```
      C
      ```
      What to do: Add it.

      Source: Documentation/reference/schema-language.md#types-and-indexes

      ### CV9002 lost-record (error, off by default): a lost record


      Source: here

      """.utf8))
}

/// The documentation of rules: whole pages, terminal texts and JSON.
@Suite struct RuleTests {
  @Test("a rule in a terminal: empty parts are left out, an empty line of an example stays empty")
  func text() {
    expectNoDifference(
      RuleDocumentation.text(SampleCode.full.rule),
      """
      CK9001 missing-index (warning, error of lists)

      a field | an index (if any).

      It is slow.

      Example:

          A

          B

      Use instead:

          C

      What to do: Add it.

      Source: Documentation/reference/schema-language.md#types-and-indexes.

      """)
    expectNoDifference(
      RuleDocumentation.text(SampleCode.short.rule),
      "CV9002 lost-record (error, off by default)\n\na lost record.\n\nSource: here.\n")
  }

  @Test("a finding has the severity of its rule, unless it is given another")
  func finding() {
    #expect(SampleCode.rules.map(\.code) == ["CK9001", "CV9002"])
    #expect(Diagnostic(SampleCode.full, "m") == Diagnostic("CK9001", .warning, "m"))
    #expect(Diagnostic(SampleCode.full, "m", severity: .error) == Diagnostic("CK9001", .error, "m"))
  }
}
