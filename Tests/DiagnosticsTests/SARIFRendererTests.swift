import CustomDump
import Diagnostics
import Testing

@Suite struct SARIFRendererTests {
  private let source = SourceText(name: "a é/b.json", "one\ntwo")

  private func rule(_ code: String, example: String) -> Rule {
    Rule(
      code, "rule-\(code.lowercased())", .warning, summary: "s", rationale: "r", example: example,
      useInstead: "good",
      source: "here")
  }

  @Test("rules that were met come before codes without a rule, and each result points at its rule")
  func rules() throws {
    let report = DiagnosticReport(
      tool: ("t", "1.2"), inputs: ["a é/b.json", "~c"],
      diagnostics: [
        Diagnostic("U2", .note, "no rule"), Diagnostic("R2", .error, "m", help: "h"),
        Diagnostic("U1", .note, "no rule"),
        Diagnostic("R3", .warning, "m"),
      ], rules: [rule("R1", example: "bad"), rule("R2", example: "bad"), rule("R3", example: "")])
    let run = try #require(JSONValue(parsing: SARIFRenderer().render(report))["runs"]?.array?.first)
    func descriptor(_ code: String, _ help: String) -> JSONValue {
      [
        "id": .string(code), "name": .string("rule-\(code.lowercased())"), "shortDescription": ["text": "s"],
        "fullDescription": ["text": "r"], "help": ["text": .string(help)],
        "defaultConfiguration": ["level": "warning"],
      ]
    }
    expectNoDifference(
      run["tool"]?["driver"],
      [
        "name": "t", "version": "1.2",
        "rules": [
          descriptor("R2", "Instead of\nbad\nwrite\ngood"), descriptor("R3", "r"), ["id": "U1"], ["id": "U2"],
        ],
      ])
    expectNoDifference(
      run["results"],
      [
        ["ruleId": "R2", "ruleIndex": 0, "level": "error", "message": ["text": "m. h"]],
        ["ruleId": "R3", "ruleIndex": 1, "level": "warning", "message": ["text": "m"]],
        ["ruleId": "U1", "ruleIndex": 2, "level": "note", "message": ["text": "no rule"]],
        ["ruleId": "U2", "ruleIndex": 3, "level": "note", "message": ["text": "no rule"]],
      ])
    expectNoDifference(
      run["artifacts"], [["location": ["uri": "a%20%C3%A9/b.json"]], ["location": ["uri": "~c"]]])
    #expect(run["invocations"] == nil)
  }

  @Test("a result has the places of its finding and of its notes, and the replacement that fixes it")
  func places() throws {
    let finding = Diagnostic(
      "X", .error, "m", at: source.range(1..<5),
      notes: [.init("n", at: source.range(0..<1)), .init("without a place")],
      fix: .init(replacing: source.range(4..<7), with: "2"))
    let report = DiagnosticReport(tool: ("t", "1"), inputs: [], diagnostics: [finding])
    let run = try #require(JSONValue(parsing: SARIFRenderer().render(report))["runs"]?.array?.first)
    func region(_ numbers: Int64...) -> JSONValue {
      [
        "startLine": .integer(numbers[0]), "startColumn": .integer(numbers[1]),
        "endLine": .integer(numbers[2]),
        "endColumn": .integer(numbers[3]),
      ]
    }
    let file: JSONValue = ["uri": "a%20%C3%A9/b.json"]
    expectNoDifference(
      run["results"],
      [
        [
          "ruleId": "X", "ruleIndex": 0, "level": "error", "message": ["text": "m"],
          "locations": [["physicalLocation": ["artifactLocation": file, "region": region(1, 2, 2, 2)]]],
          "relatedLocations": [
            [
              "physicalLocation": ["artifactLocation": file, "region": region(1, 1, 1, 2)],
              "message": ["text": "n"],
            ]
          ],
          "fixes": [
            [
              "description": ["text": "m"],
              "artifactChanges": [
                [
                  "artifactLocation": file,
                  "replacements": [["deletedRegion": region(2, 1, 2, 4), "insertedContent": ["text": "2"]]],
                ]
              ],
            ]
          ],
        ]
      ])
  }

  @Test("a remark beside the findings is a notification of a run that succeeded")
  func notices() throws {
    var report = DiagnosticReport(tool: ("t", "1"), inputs: [], diagnostics: [])
    report.notices = [Diagnostic("N", .note, "m", help: "h")]
    let run = try #require(JSONValue(parsing: SARIFRenderer().render(report))["runs"]?.array?.first)
    expectNoDifference(
      run["invocations"],
      [
        [
          "executionSuccessful": true,
          "toolExecutionNotifications": [
            ["descriptor": ["id": "N"], "level": "note", "message": ["text": "m. h"]]
          ],
        ]
      ])
    #expect(run["results"] == [])
  }

  @Test("a name with control characters is escaped byte by byte")
  func names() throws {
    let report = DiagnosticReport(tool: ("t", "1"), inputs: ["\u{1}\u{F}\u{10}%AZaz09-._~/"], diagnostics: [])
    let run = try #require(JSONValue(parsing: SARIFRenderer().render(report))["runs"]?.array?.first)
    expectNoDifference(run["artifacts"], [["location": ["uri": "%01%0F%10%25AZaz09-._~/"]]])
  }
}
