internal import Catalog
internal import Diagnostics

extension CatalogVerifier.Result {
  /// The report of `container verify`. Its status says whether a finding has at least the given severity.
  func report(of container: String, failOn severity: Diagnostic.Severity) -> FindingsReport {
    let total = read.reduce(0) { $0 + $1.count }
    return FindingsReport(
      findings, inputs: [container],
      status: findings.contains { $0.severity >= severity } ? .findings : .done,
      summary: "\(counted(total, "record")) of \(counted(read.count, "type"))")
  }
}
