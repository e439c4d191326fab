/// Renders findings as JUnit XML: each input is a suite, each finding a failed case. An input without findings is
/// one passed case. A folder with findings in its files has no suite of its own. Findings without a place belong to
/// the only input, or to a suite "general".
public struct JUnitRenderer: Sendable {
  public init() {}

  public func render(_ report: DiagnosticReport) -> String {
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
public struct JUnitDocument: Sendable {
  /// A group of cases, such as a file.
  public struct Suite: Sendable {
    public var name: String
    public var cases: [Case]

    public init(name: String, cases: [Case]) {
      self.name = name
      self.cases = cases
    }
  }

  /// A check that passed, failed or was skipped.
  public struct Case: Sendable {
    public var name: String
    /// `nil` if the case passed or was skipped.
    public var failure: Failure?
    /// Why the case was skipped; `nil` if it was not.
    public var skipped: String?

    public init(name: String, failure: Failure? = nil, skipped: String? = nil) {
      self.name = name
      self.failure = failure
      self.skipped = skipped
    }
  }

  /// Why a case failed.
  public struct Failure: Sendable {
    public var type: String
    public var message: String
    public var body: String

    public init(type: String, message: String, body: String) {
      self.type = type
      self.message = message
      self.body = body
    }
  }

  public var name: String
  public var suites: [Suite]

  public init(name: String, suites: [Suite]) {
    self.name = name
    self.suites = suites
  }

  public var text: String {
    let cases = suites.flatMap(\.cases)
    let counts = "tests=\"\(cases.count)\" failures=\"\(cases.count { $0.failure != nil })\""
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"\(name.xml)\" \(counts)>\n"
      + suites.map(text(of:)).joined() + "</testsuites>\n"
  }

  private func text(of suite: Suite) -> String {
    let failures = suite.cases.count { $0.failure != nil }
    let skipped = suite.cases.count { $0.skipped != nil }
    let counts = "tests=\"\(suite.cases.count)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\""
    return "  <testsuite name=\"\(suite.name.xml)\" \(counts)>\n"
      + suite.cases.map { text(of: $0, in: suite) }.joined() + "  </testsuite>\n"
  }

  private func text(of testCase: Case, in suite: Suite) -> String {
    let head = "    <testcase name=\"\(testCase.name.xml)\" classname=\"\(suite.name.xml)\""
    guard let outcome = outcome(of: testCase) else { return head + "/>\n" }
    return "\(head)>\n      \(outcome)\n    </testcase>\n"
  }

  /// `nil` for a case that passed.
  private func outcome(of testCase: Case) -> String? {
    if let reason = testCase.skipped { return "<skipped message=\"\(reason.xml)\"/>" }
    return testCase.failure.map {
      "<failure type=\"\($0.type.xml)\" message=\"\($0.message.xml)\">\($0.body.xml)</failure>"
    }
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
