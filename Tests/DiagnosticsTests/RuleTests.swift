import CustomDump
import Diagnostics
import Testing

/// A family of two rules: one with every part, one with the required parts only.
private enum SampleCode: String, RuleCode {
  case full = "CK9001"
  case short = "CV9002"

  var rule: Rule {
    switch self {
    case .full:
      rule(
        "missing-index", .warning, "a field | an index", why: "It is slow.", example: "A\n\nB",
        useInstead: "C", help: "Add it.",
        source: Rule.reference("schema-language", "types-and-indexes"))
    case .short: rule("lost-record", .error, "a lost record", why: "", source: "here")
    }
  }
}

/// The documentation of rules: whole pages, terminal texts and JSON.
@Suite struct RuleTests {
  @Test("a rule in a terminal: empty parts are left out, an empty line of an example stays empty")
  func text() {
    expectNoDifference(
      RuleDocumentation.text(SampleCode.full.rule),
      """
      CK9001 missing-index (warning)

      a field | an index.

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
      "CV9002 lost-record (error)\n\na lost record.\n\nSource: here.\n")
  }

  @Test("the JSON of a rule leaves out what is empty")
  func json() {
    #expect(
      SampleCode.full.rule.json
        == .object([
          "code": "CK9001", "name": "missing-index", "severity": "warning", "family": "Schemas",
          "summary": "a field | an index", "rationale": "It is slow.", "example": "A\n\nB", "useInstead": "C",
          "help": "Add it.", "source": "Documentation/reference/schema-language.md#types-and-indexes",
        ]))
    #expect(
      SampleCode.short.rule.json
        == .object([
          "code": "CV9002", "name": "lost-record", "severity": "error", "family": "Records of the catalog",
          "summary": "a lost record", "source": "here",
        ]))
  }

  @Test(
    "the family of a code",
    arguments: [
      ("CK0101", .schema), ("SE0101", .seed), ("CU0000", .curation), ("CV9999", .catalog),
      ("FH0101", .health), ("FP0101", .feed), ("AG0101", .aggregate),
      ("RC0101", .record), ("CF0101", .configuration), ("XX0101", nil), ("CK101", nil), ("CK01011", nil),
      ("CK010a", nil),
      ("CK/101", nil), ("CK:101", nil), ("ck0101", nil), ("", nil),
    ] as [(String, RuleFamily?)])
  func family(code: String, expected: RuleFamily?) {
    #expect(RuleFamily(code: code) == expected)
  }

  @Test("a finding has the severity of its rule, unless it is given another")
  func finding() {
    #expect(SampleCode.rules.map(\.code) == ["CK9001", "CV9002"])
    #expect(Diagnostic(SampleCode.full, "m") == Diagnostic("CK9001", .warning, "m"))
    #expect(Diagnostic(SampleCode.full, "m", severity: .error) == Diagnostic("CK9001", .error, "m"))
  }
}
