import Diagnostics
import SchemaLanguage
import Testing

@testable import AdminCommands

@Suite("Findings in every format") struct FindingsFormatTests {
  private static let text = """
    DEFINE SCHEMA
    CREATE ROLE Mods;
    RECORD TYPE T (
        "___recordID" REFERENCE QUERYABLE,
        userId STRING, -- 100% <of> "them" & more
        tags LIST<STRING> SORTABLE,
        userID STRING,
        GRANT READ, WRITE TO "_world"
    );
    """

  private let found = SchemaLinter.diagnostics(
    SchemaParser.parse(SourceText(name: "a, b: 50%.ckdb", Self.text)))

  private func rendered(_ format: OutputFormat) -> String {
    let result = FindingsReport(
      found, inputs: ["a, b: 50%.ckdb"], failOn: .error)
    return result.rendered(as: format, .plain).description
  }

  private var expected: [String] { places(of: found) }

  /// `CODE:line:column` of each finding.
  private func places(of findings: [Diagnostic]) -> [String] {
    findings.map { "\($0.code):\($0.range?.start.line ?? 0):\($0.range?.start.column ?? 0)" }
  }

  @Test("SARIF has the same findings at the same places")
  func sarif() throws {
    let run = try #require(try JSONValue(parsing: Array(rendered(.sarif).utf8))["runs"]?.array?.first)
    let places = try #require(run["results"]?.array).map { result in
      let region = result["locations"]?.array?.first?["physicalLocation"]?["region"]
      return "\(result["ruleId"]?.string ?? ""):\(region?["startLine"]?.integer ?? 0):"
        + "\(region?["startColumn"]?.integer ?? 0)"
    }
    #expect(places == expected && places.count > 4)
  }

  @Test("JUnit, GitHub and text have them too, in the same order, but GitHub's errors stand first")
  func lines() throws {
    let junit = rendered(.junit).split(separator: "\n").compactMap { line in
      line.firstMatch(of: /<testcase name="(CK[^"]*)"/).map { String($0.1) }
    }
    #expect(junit == expected)
    let github = rendered(.github).split(separator: "\n").compactMap { line in
      line.firstMatch(of: /line=(\d+),.*col=(\d+),.*title=(CK\d+)::/).map { "\($0.3):\($0.1):\($0.2)" }
    }
    let severities: [Diagnostic.Severity] = [.error, .warning, .note]
    #expect(github == severities.flatMap { severity in places(of: found.filter { $0.severity == severity }) })
    let text = rendered(.text).split(separator: "\n").compactMap { line in
      line.firstMatch(of: /:(\d+):(\d+): [a-z]+\[(CK\d+)\]/).map { "\($0.3):\($0.1):\($0.2)" }
    }
    #expect(text == expected)
  }
}
