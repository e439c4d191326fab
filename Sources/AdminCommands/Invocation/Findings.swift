internal import Diagnostics

extension FindingsReport {
  /// The findings of this tool, with what its rules mean.
  init(
    _ diagnostics: [Diagnostic], inputs: [String], rules: [Rule] = RuleCatalog.all, status: ExitStatus,
    summary: String? = nil, failure: CommandFailure? = nil
  ) {
    let report = DiagnosticReport(
      tool: ("celestra-admin", AdminTool.version), inputs: inputs, diagnostics: diagnostics, rules: rules)
    self.init(report, status: status, summary: summary, failure: failure)
  }
}
