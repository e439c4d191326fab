internal import Diagnostics

extension FindingsReport {
  /// A report of findings, with the documentation of this tool's rules.
  init(
    _ diagnostics: [Diagnostic], inputs: [String], rules: [Rule] = RuleCatalog.all, status: ExitStatus,
    summary: String? = nil, failure: CommandFailure? = nil
  ) {
    let report = DiagnosticReport(
      tool: ("celestra-admin", AdminTool.version), inputs: inputs, diagnostics: diagnostics, rules: rules)
    self.init(report, status: status, summary: summary, failure: failure)
  }
}
