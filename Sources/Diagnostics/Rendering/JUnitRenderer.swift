/// Renders findings as JUnit XML: each input is a suite, each finding a failed case. An input without findings is
/// one passed case. A folder with findings in its files has no suite of its own. Findings without a place belong to
/// the only input, or to a suite "general".
package struct JUnitRenderer: Sendable {
  package init() {}

  package func render(_ report: DiagnosticReport) -> String {
    let onlyInput = report.inputs.count == 1 ? report.inputs[0] : "general"
    let findings = report.diagnostics.map { (input: $0.range?.source.name ?? onlyInput, finding: $0) }
    let clean = report.inputs.filter { input in
      let folder = input.hasSuffix("/") ? input : input + "/"
      return !findings.contains { $0.input.hasPrefix(folder) }
    }
    var seen = Set<String>()
    let suites = (clean + findings.map(\.input)).filter { seen.insert($0).inserted }.map { name in
      suite(name, findings.filter { $0.input == name }.map(\.finding))
    }
    return JUnitDocument(name: report.tool.name, suites: suites).text
  }

  private func suite(_ name: String, _ findings: [Diagnostic]) -> JUnitDocument.Suite {
    let cases =
      findings.isEmpty ? [JUnitDocument.Case(name: "no findings")] : findings.map { failure($0, name) }
    return JUnitDocument.Suite(name: name, cases: cases)
  }

  private func failure(_ finding: Diagnostic, _ name: String) -> JUnitDocument.Case {
    let place = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
    let body = [finding.message, finding.help].compactMap(\.self).joined(separator: "\n")
    return JUnitDocument.Case(
      name: finding.code + place,
      failure: .init(
        type: finding.severity.rawValue, message: finding.message, body: "\(name)\(place): \(body)"))
  }
}

/// A JUnit XML document of test suites and cases.
private struct JUnitDocument {
  /// A group of cases, such as a file.
  struct Suite {
    var name: String
    var cases: [Case]
  }

  /// A check that passed or failed.
  struct Case {
    var name: String
    /// `nil` if the case passed.
    var failure: Failure?
  }

  /// Why a case failed.
  struct Failure {
    var type: String
    var message: String
    var body: String
  }

  var name: String
  var suites: [Suite]

  var text: String {
    let cases = suites.flatMap(\.cases)
    let counts = "tests=\"\(cases.count)\" failures=\"\(cases.count { $0.failure != nil })\""
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"\(name.xml)\" \(counts)>\n"
      + suites.map(text(of:)).joined() + "</testsuites>\n"
  }

  private func text(of suite: Suite) -> String {
    let failures = suite.cases.count { $0.failure != nil }
    let counts = "tests=\"\(suite.cases.count)\" failures=\"\(failures)\" errors=\"0\" skipped=\"0\""
    return "  <testsuite name=\"\(suite.name.xml)\" \(counts)>\n"
      + suite.cases.map { text(of: $0, in: suite) }.joined() + "  </testsuite>\n"
  }

  private func text(of testCase: Case, in suite: Suite) -> String {
    let head = "    <testcase name=\"\(testCase.name.xml)\" classname=\"\(suite.name.xml)\""
    guard let failure = testCase.failure else { return head + "/>\n" }
    let (type, message) = (failure.type.xml, failure.message.xml)
    return
      "\(head)>\n      <failure type=\"\(type)\" message=\"\(message)\">\(failure.body.xml)</failure>\n    </testcase>\n"
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
