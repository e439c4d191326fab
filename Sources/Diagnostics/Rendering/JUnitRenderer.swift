/// Renders findings as JUnit XML: each input is a suite, each finding a case, which has failed if the command fails for it.
/// A notice is a passed case, and so is an input that no finding names. A folder with findings in its files has no suite of
/// its own. Findings without a place belong to the only input, or to a suite "general".
package struct JUnitRenderer: Sendable {
  package init() {}

  package func render(_ report: DiagnosticReport) -> String {
    let onlyInput = report.inputs.count == 1 ? report.inputs[0] : "general"
    let found = report.diagnostics + report.notices
    let failures = Set(report.diagnostics.filter { $0.severity >= report.failOn })
    let inputs = found.map { $0.range?.source.name ?? onlyInput }
    let noted = Set(found.flatMap(\.notes).compactMap { $0.range?.source.name }).subtracting(inputs)
    let clean = report.inputs.filter { input in
      let folder = input.hasSuffix("/") ? input : input + "/"
      return !noted.contains(input) && !inputs.contains { $0.hasPrefix(folder) }
    }
    let names = (clean + inputs).unique
    let tests = inputs.count + names.count { !inputs.contains($0) }
    let suites = names.map { name in
      suite(name, zip(inputs, found).filter { $0.0 == name }.map(\.1), failures)
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="\(report.tool.name.xml)" tests="\(tests)" failures="\(failures.count)">
      \(suites.joined())</testsuites>

      """
  }

  private func suite(_ name: String, _ findings: [Diagnostic], _ failures: Set<Diagnostic>) -> String {
    let passed = "    <testcase name=\"no findings\" classname=\"\(name.xml)\"/>\n"
    var uses: [String: Int] = [:]
    let cases =
      findings.isEmpty
      ? [passed] : findings.map { testCase($0, in: name, isFailure: failures.contains($0), &uses) }
    let failed = findings.count(where: failures.contains)
    let counts = "tests=\"\(cases.count)\" failures=\"\(failed)\" errors=\"0\" skipped=\"0\""
    return "  <testsuite name=\"\(name.xml)\" \(counts)>\n\(cases.joined())  </testsuite>\n"
  }

  /// - Parameter uses: how often the suite has each name: GitLab shows only the first case of a name.
  private func testCase(
    _ finding: Diagnostic, in suite: String, isFailure: Bool, _ uses: inout [String: Int]
  ) -> String {
    let place = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
    let number = uses[finding.code + place, default: 0] + 1
    uses[finding.code + place] = number
    let name = finding.code + place + (number > 1 ? " (\(number))" : "")
    let notes = finding.notes.map { ($0.range?.prefix ?? "") + $0.message }
    let words = ([finding.message] + notes + [finding.help].compactMap(\.self)).joined(separator: "\n")
    let severity = finding.severity.rawValue
    let start = isFailure ? "failure type=\"\(severity)\" message=\"\(finding.message.xml)\"" : "system-out"
    let text = "\(suite)\(place): \(isFailure ? "" : "\(severity): ")\(words)"
    return """
          <testcase name="\(name.xml)" classname="\(suite.xml)">
            <\(start)>\(text.xml)</\(isFailure ? "failure" : "system-out")>
          </testcase>

      """
  }
}

extension String {
  /// The text escaped for XML text and attributes, by Unicode scalar. Characters that XML does not allow become
  /// U+FFFD; those that control a terminal or GitHub's runner become numeric references.
  package var xml: String {
    unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result += "&#\(scalar.value);"
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      case _ where scalar.isUnprintable,
        "[" where result.utf8.suffix(2).elementsEqual("##".utf8):
        result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
