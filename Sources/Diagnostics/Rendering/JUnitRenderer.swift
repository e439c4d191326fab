/// Findings as JUnit XML: an input is a suite, a finding a failed case, an input without findings a passed
/// one.
public struct JUnitRenderer: Sendable {
  public init() {}

  public func render(_ report: DiagnosticReport) -> String {
    let names = report.inputs + report.diagnostics.map(\.inputName)
    var seen = Set<String>()
    let suites = names.filter { seen.insert($0).inserted }.map { name in
      (name, report.diagnostics.filter { $0.inputName == name })
    }
    let cases = suites.reduce(0) { $0 + max(1, $1.1.count) }
    let failures = report.diagnostics.count
    let head = "<testsuites name=\"\(report.tool.name.xml)\" tests=\"\(cases)\" failures=\"\(failures)\">"
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(head)\n"
      + suites.map { suite($0.0, $0.1) }.joined() + "</testsuites>\n"
  }

  private func suite(_ name: String, _ findings: [Diagnostic]) -> String {
    let tests = max(1, findings.count)
    let head =
      "  <testsuite name=\"\(name.xml)\" tests=\"\(tests)\" failures=\"\(findings.count)\" errors=\"0\" skipped=\"0\">"
    let cases =
      findings.isEmpty
      ? "    <testcase name=\"no findings\" classname=\"\(name.xml)\"/>\n"
      : findings.map { failure($0, name) }.joined()
    return "\(head)\n\(cases)  </testsuite>\n"
  }

  private func failure(_ finding: Diagnostic, _ name: String) -> String {
    let line = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
    let body = [finding.message, finding.help].compactMap(\.self).joined(separator: "\n")
    return """
          <testcase name="\(finding.code.xml)\(line)" classname="\(name.xml)">
            <failure type="\(finding.severity.rawValue)" message="\(finding.message.xml)">\(name.xml)\(line): \(body.xml)</failure>
          </testcase>

      """
  }
}

extension Diagnostic {
  fileprivate var inputName: String { range?.source.name ?? "general" }
}

extension String {
  /// Escaped for XML text and attributes; characters XML cannot hold become the replacement character.
  var xml: String {
    unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
