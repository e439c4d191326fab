/// Renders findings as SARIF 2.1.0 (OASIS), with the texts of the rules and the replacements that fix the findings.
struct SARIFRenderer: Sendable {
  private static let schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  let report: DiagnosticReport
  /// The name of a file from the repository's root.
  let path: @Sendable (String) -> String

  func render() -> String {
    let used = Set(report.diagnostics.map(\.code))
    let known = report.rules().filter { used.contains($0.code) }
    let unknown = used.subtracting(known.map(\.code)).sorted()
    let rules = known.map(descriptor) + unknown.map { ["id": .string($0)] }
    let indexes = Dictionary(
      uniqueKeysWithValues: (known.map(\.code) + unknown).enumerated().map { ($1, $0) })
    var run: JSONObject = [
      "tool": [
        "driver": [
          "name": .string(report.tool.name), "version": .string(report.tool.version), "rules": .array(rules),
        ]
      ],
      "columnKind": "unicodeCodePoints",
      "artifacts": .array(report.inputs.map { ["location": ["uri": .string(uri($0))]] }),
      "results": .array(report.diagnostics.map { result($0, indexes[$0.code] ?? 0) }),
    ]
    if !report.notices.isEmpty {
      run["invocations"] = [
        [
          "executionSuccessful": true,
          "toolExecutionNotifications": .array(report.notices.map(notification)),
        ]
      ]
    }
    let document: JSONValue = [
      "$schema": .string(SARIFRenderer.schema), "version": "2.1.0", "runs": [.object(run)],
    ]
    return document.text(.pretty) + "\n"
  }

  private func descriptor(_ rule: Rule) -> JSONValue {
    [
      "id": .string(rule.code), "name": .string(rule.name),
      "shortDescription": ["text": .string(rule.summary)],
      "fullDescription": ["text": .string(rule.rationale)],
      "help": ["text": .string(help(rule))],
      "defaultConfiguration": ["level": .string(rule.severity.rawValue)],
    ]
  }

  /// The help text of a rule. Some rules have no example, because no short text can trigger them.
  private func help(_ rule: Rule) -> String {
    rule.example.isEmpty ? rule.rationale : "Instead of\n\(rule.example)\nwrite\n\(rule.useInstead)"
  }

  private func notification(_ notice: Diagnostic) -> JSONValue {
    .object([
      "descriptor": ["id": .string(notice.code)], "level": .string(notice.severity.rawValue),
      "message": ["text": .string(text(of: notice))], "locations": notice.range.map { [location($0)] },
    ])
  }

  private func text(of diagnostic: Diagnostic) -> String {
    [diagnostic.message, diagnostic.help].compactMap(\.self).joined(separator: ". ")
  }

  private func result(_ diagnostic: Diagnostic, _ ruleIndex: Int) -> JSONValue {
    let related = diagnostic.notes.compactMap { note in note.range.map { relatedLocation($0, note.message) } }
    return .object([
      "ruleId": .string(diagnostic.code), "ruleIndex": JSONValue(ruleIndex),
      "level": .string(diagnostic.severity.rawValue), "message": ["text": .string(text(of: diagnostic))],
      "locations": diagnostic.range.map { [location($0)] },
      "relatedLocations": related.isEmpty ? nil : .array(related),
      "fixes": diagnostic.fix.map { [fixJSON($0, diagnostic.help ?? diagnostic.message)] },
    ])
  }

  private func location(_ range: SourceRange) -> JSONValue {
    [
      "physicalLocation": [
        "artifactLocation": ["uri": .string(uri(range.source.name))], "region": region(range),
      ]
    ]
  }

  private func relatedLocation(_ range: SourceRange, _ message: String) -> JSONValue {
    location(range).adding(["message": ["text": .string(message)]])
  }

  private func region(_ range: SourceRange) -> JSONValue {
    [
      "startLine": JSONValue(range.start.line), "startColumn": JSONValue(range.start.column),
      "endLine": JSONValue(range.end.line), "endColumn": JSONValue(range.end.column),
    ]
  }

  private func fixJSON(_ fix: Diagnostic.Fix, _ description: String) -> JSONValue {
    [
      "description": ["text": .string(description)],
      "artifactChanges": [
        [
          "artifactLocation": ["uri": .string(uri(fix.range.source.name))],
          "replacements": [
            ["deletedRegion": region(fix.range), "insertedContent": ["text": .string(fix.replacement)]]
          ],
        ]
      ],
    ]
  }

  /// A path as a relative or absolute URI reference: everything outside RFC 3986's path characters is escaped. GitHub takes a
  /// relative one from the repository's root and knows no `originalUriBaseIds`
  /// (https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support).
  private func uri(_ name: String) -> String {
    PercentEncoding.encode(path(name)) { $0.isUnreserved || $0 == UInt8(ascii: "/") }
  }
}
