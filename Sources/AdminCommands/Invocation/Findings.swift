internal import Diagnostics

extension OutputFormat {
  /// The forms every command that reports findings offers.
  static let findings: [OutputFormat] = [.text, .json, .sarif, .junit, .github]
}

extension CommandResult {
  /// A result that consists of findings, the same in every format.
  ///
  /// - Parameter summary: what was looked at, for the last line of the text.
  static func findings(
    _ diagnostics: [Diagnostic], inputs: [String], rules: [Rule] = RuleCatalog.all, status: ExitStatus,
    summary: String? = nil
  ) -> CommandResult {
    let report = DiagnosticReport(
      tool: ("celestra-admin", AdminTool.version), inputs: inputs, diagnostics: diagnostics, rules: rules)
    let json: JSONValue = [
      "inputs": .array(inputs.map(JSONValue.string)), "errors": .integer(Int64(report.count(.error))),
      "warnings": .integer(Int64(report.count(.warning))), "notes": .integer(Int64(report.count(.note))),
    ]
    var result = CommandResult(
      status, isConfirmation: report.diagnostics.isEmpty, json: json, diagnostics: report.diagnostics
    ) { format, style in
      switch format {
      case .sarif: PrintableText(document: SARIFRenderer().render(report))
      case .junit: PrintableText(document: JUnitRenderer().render(report))
      case .github: GitHubRenderer().render(report.diagnostics)
      default: text(report, style, summary)
      }
    }
    result.rendersDiagnostics = true
    return result
  }

  private static func text(_ report: DiagnosticReport, _ style: Style, _ summary: String?) -> PrintableText {
    let counts = Diagnostic.Severity.allCases.reversed().compactMap { severity -> String? in
      let count = report.count(severity)
      return count == 0 ? nil : counted(count, severity.rawValue)
    }
    let verdict = counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
    return TextRenderer(colored: style.isColored).render(report.diagnostics)
      + "\(summary.map { "\($0): " } ?? "")\(verdict)\n"
  }
}
