/// Renders findings as JUnit XML: each input is a suite, each finding a failed case. An input without findings is
/// one passed case. A folder with findings in its files has no suite of its own. Findings without a place belong to
/// the only input, or to a suite "general".
package struct JUnitRenderer: Sendable {
  package init() {}

  package func render(_ report: DiagnosticReport) -> String {
    let onlyInput = report.inputs.count == 1 ? report.inputs[0] : "general"
    let inputs = report.diagnostics.map { $0.range?.source.name ?? onlyInput }
    let clean = report.inputs.filter { input in
      let folder = input.hasSuffix("/") ? input : input + "/"
      return !inputs.contains { $0.hasPrefix(folder) }
    }
    var seen = Set<String>()
    let names = (clean + inputs).filter { seen.insert($0).inserted }
    let failures = inputs.count
    let passed = names.count { !inputs.contains($0) }
    let suites = names.map { name in
      suite(name, zip(inputs, report.diagnostics).filter { $0.0 == name }.map(\.1))
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="\(report.tool.name.xml)" tests="\(failures + passed)" failures="\(failures)">
      \(suites.joined())</testsuites>

      """
  }

  private func suite(_ name: String, _ findings: [Diagnostic]) -> String {
    let passed = "    <testcase name=\"no findings\" classname=\"\(name.xml)\"/>\n"
    let cases = findings.isEmpty ? [passed] : findings.map { failedCase($0, in: name) }
    let counts = "tests=\"\(cases.count)\" failures=\"\(findings.count)\" errors=\"0\" skipped=\"0\""
    return "  <testsuite name=\"\(name.xml)\" \(counts)>\n\(cases.joined())  </testsuite>\n"
  }

  private func failedCase(_ finding: Diagnostic, in suite: String) -> String {
    let place = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
    let words = [finding.message, finding.help].compactMap(\.self).joined(separator: "\n")
    return """
          <testcase name="\((finding.code + place).xml)" classname="\(suite.xml)">
            <failure type="\(finding.severity.rawValue)" message="\(finding.message.xml)">\
      \("\(suite)\(place): \(words)".xml)</failure>
          </testcase>

      """
  }
}

extension String {
  /// The text escaped for XML text and attributes, by Unicode scalar. Characters that XML does not allow become
  /// U+FFFD; those that control a terminal or GitHub's runner become numeric references.
  fileprivate var xml: String {
    var lastTwo: [Unicode.Scalar] = []
    return unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result += "&#\(scalar.value);"
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      case _ where scalar.isUnprintable || (scalar == "[" && lastTwo == ["#", "#"]):
        result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
      lastTwo = lastTwo.suffix(1) + [scalar]
    }
  }
}
