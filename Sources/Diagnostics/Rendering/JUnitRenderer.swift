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
