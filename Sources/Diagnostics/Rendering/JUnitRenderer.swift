/// Findings as JUnit XML: an input is a suite, a finding a failed case, an input without findings a passed
/// one.
public struct JUnitRenderer: Sendable {
  public init() {}

  public func render(_ report: DiagnosticReport) -> String {
    let names = report.inputs + report.diagnostics.map(\.inputName)
    var seen = Set<String>()
    let suites = names.filter { seen.insert($0).inserted }.map { name in
      suite(name, report.diagnostics.filter { $0.inputName == name })
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

extension Diagnostic {
  fileprivate var inputName: String { range?.source.name ?? "general" }
}
