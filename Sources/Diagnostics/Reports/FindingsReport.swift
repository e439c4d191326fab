package struct FindingsReport: Report {
  package let status: ExitStatus
  package let failure: CommandFailure?
  /// What was not checked, and which command does: the lines below the verdict.
  package var unchecked: [String] = []
  /// How the findings can be accepted: below the verdict, too.
  package var acceptance = ReportBody()
  package var details: JSONObject = [:]
  private let report: DiagnosticReport
  private let summary: String?

  /// - Parameters:
  /// - status: the exit status for the findings; the status of `failure` takes precedence.
  /// - failure: why the check is incomplete.
  package init(
    _ report: DiagnosticReport, status: ExitStatus, summary: String? = nil, failure: CommandFailure? = nil
  ) {
    self.report = report
    self.status = failure?.status ?? status
    self.summary = summary
    self.failure = failure
  }

  package var findings: [Diagnostic] { report.diagnostics }
  static let findingsFamily = MetricFamily("findings", "Findings of the last run, by severity")

  package var metrics: [Metric] {
    Diagnostic.Severity.allCases.map {
      Metric(Self.findingsFamily, [.init("severity", $0.rawValue)], report.count($0))
    }
  }

  package var tally: Tally? {
    "\(report.count(.error), "error"), \(report.count(.warning), "warning"), \(report.count(.note), "note")"
  }

  package var isConfirmation: Bool { findings.isEmpty && report.notices.isEmpty }
  package var urgent: ReportBody? { body.troubles }

  package var json: JSONValue {
    JSONValue.object([
      "inputs": report.inputs.json, "errors": JSONValue(report.count(.error)),
      "warnings": JSONValue(report.count(.warning)), "notes": JSONValue(report.count(.note)),
      "notChecked": unchecked.isEmpty ? nil : unchecked.json,
    ]).adding(details)
  }

  package var checked: DiagnosticReport? { report }

  package var body: ReportBody {
    findings + report.notices
    "\(summary.map { "\($0): " } ?? "")\(findings.verdict(beside: report.notices))"
    for line in unchecked { "\("not checked: \(line)", .dim)" }
    acceptance
  }
}

extension OutputFormat {
  package static let findings: [OutputFormat] = [.text, .json, .sarif, .junit, .github]
}
