internal import Diagnostics
internal import FoundationEssentials

/// The metrics of a run: those common to all jobs, and those of its report. Every sample names the job, so that the
/// files of several jobs can be in one folder.
struct JobRunMetrics {
  static let info = MetricFamily("run_info", "The version that made the last run, with the value 1")
  static let lastSuccess = MetricFamily(
    "run_last_success_timestamp_seconds", "When the job last ended successfully")
  static let lastCompletion = MetricFamily(
    "run_last_completion_timestamp_seconds", "When the job last ended, successfully or not")
  static let exitCode = MetricFamily("run_exit_code", "The exit status of the last run")
  static let duration = MetricFamily("run_duration_seconds", "How long the last run took")

  static let families = [info, lastSuccess, lastCompletion, exitCode, duration]

  private let outcome: JobRunOutcome
  /// Labels for command, container, environment and shard; `nil` if the run ended before its container was known.
  private let job: [Metric.Label]?
  private let version: String

  init(_ outcome: JobRunOutcome, job: [Metric.Label]?, version: String) {
    self.outcome = outcome
    self.job = job
    self.version = version
  }

  /// The content of the metrics file.
  ///
  /// - Parameter former: the file of the previous run, from which a failed run copies the time of the last success.
  func text(after former: String?) -> String {
    let ended = (outcome.ended.timeIntervalSince1970 * 1000).rounded() / 1000
    // Use the labels of the previous run, so that alerts do not lose their series.
    let job =
      job ?? former.flatMap { PrometheusText.labels(of: Self.lastCompletion, in: $0) }
      ?? [.init("command", outcome.command)]
    var metrics = [Metric(Self.info, job + [.init("version", version)], 1)]
    let success = Metric(Self.lastSuccess, job, ended)
    let lastSuccess =
      outcome.verdict == .succeeded
      ? ended : former.flatMap { PrometheusText.value(of: success, in: $0) }
    if let lastSuccess { metrics.append(Metric(Self.lastSuccess, job, lastSuccess)) }
    metrics.append(Metric(Self.lastCompletion, job, ended))
    metrics.append(Metric(Self.exitCode, job, outcome.status.rawValue))
    metrics.append(Metric(Self.duration, job, outcome.duration / .seconds(1)))
    metrics += (outcome.report?.metrics ?? []).map { Metric($0.family, job + $0.labels, $0.value) }
    return PrometheusText(metrics).text
  }
}
