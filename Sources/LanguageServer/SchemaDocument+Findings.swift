internal import Diagnostics
internal import SchemaLanguage

extension SchemaDocument {
  /// A finding as the protocol's diagnostic. One in another file, such as that of the settings, names its place there.
  func json(_ finding: Diagnostic) -> JSONValue {
    let help = finding.help.map { "\n\($0)" } ?? ""
    let notes = finding.notes.filter { $0.range == nil }.map { "\n\($0.message)" }.joined()
    let message = finding.range?.source === text.source ? finding.message : Self.message(finding)
    return [
      "range": text.range(place(of: finding)), "severity": .integer(Self.severity(finding.severity)),
      "code": .string(finding.code), "source": "celestra-admin",
      "message": .string(message + notes + help),
    ]
  }

  /// What a finding in another file says, with its place there.
  static func message(_ finding: Diagnostic) -> String {
    (finding.range.map { "\($0.source.name):\($0.start.line): " } ?? "") + finding.message
  }

  /// The protocol's numbers: error, warning, information.
  private static func severity(_ severity: Diagnostic.Severity) -> Int64 {
    switch severity {
    case .error: 1
    case .warning: 2
    case .note: 3
    }
  }

  private func place(of finding: Diagnostic) -> Range<Int> {
    let places = [finding.range] + finding.notes.map(\.range)
    return places.lazy.compactMap { $0 }.first { $0.source === text.source }?.offsets ?? 0..<0
  }

  /// The fixes of findings that a range touches, one action each, and one for all that are certainly right.
  func actions(for findings: [Diagnostic], in range: Range<Int>, uri: String) -> JSONValue {
    let touched = findings.filter {
      place(of: $0).overlaps(range) || place(of: $0).contains(range.lowerBound)
    }
    var actions = touched.compactMap { finding -> JSONValue? in
      guard let fix = finding.fix, fix.range.source === text.source else { return nil }
      return action(
        finding.help ?? "Fix \(finding.code)",
        [["range": text.range(fix.range.offsets), "newText": .string(fix.replacement)]],
        for: [finding], isPreferred: SchemaFixer.codes.contains(finding.code), uri)
    }
    let certain = findings.filter { $0.fix != nil && SchemaFixer.codes.contains($0.code) }
    if certain.count > 1, !touched.isEmpty {
      actions.append(
        action(
          "Fix all that is certain", text.edits(to: SchemaFixer.fix(text.source).text), for: certain,
          isPreferred: false,
          uri))
    }
    return .array(actions)
  }

  private func action(
    _ title: String, _ edits: [JSONValue], for findings: [Diagnostic], isPreferred: Bool, _ uri: String
  ) -> JSONValue {
    [
      "title": .string(title), "kind": "quickfix", "isPreferred": .bool(isPreferred),
      "diagnostics": .array(findings.map(json)), "edit": ["changes": .object([uri: .array(edits)])],
    ]
  }
}
