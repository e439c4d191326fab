internal import Diagnostics
internal import FoundationEssentials
internal import Platform

/// The metrics of a run: those common to all jobs, and those of its report. Every sample names the job, so that the
/// files of several jobs can be in one folder.
struct JobRunMetrics {
  static let info = MetricFamily("run_info", "The version that made the last run, with the value 1")
  static let lastSuccess = MetricFamily(
    "run_last_success_timestamp_seconds", "When the job last did all of its work")
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
      outcome.hasDoneAll
      ? ended : former.flatMap { PrometheusText.value(of: success, in: $0) }
    if let lastSuccess { metrics.append(Metric(Self.lastSuccess, job, lastSuccess)) }
    metrics.append(Metric(Self.lastCompletion, job, ended))
    metrics.append(Metric(Self.exitCode, job, outcome.status.rawValue))
    metrics.append(Metric(Self.duration, job, outcome.duration / .seconds(1)))
    metrics += (outcome.report?.metrics ?? []).map { Metric($0.family, job + $0.labels, $0.value) }
    return PrometheusText(metrics).text
  }
}

/// The outcome of a job's run, from which its metrics and pings are made. Contains the same report and exit status
/// that the caller gets.
struct JobRunOutcome: Sendable {
  enum Verdict: Sendable, Hashable {
    case succeeded, failed
    /// The service was throttled or unavailable: the next run finishes the work.
    case postponed
    /// Another run holds the lock and does the work; this run is not reported.
    case leftToAnother
  }

  /// The command: `recount subscribers`.
  var command: String
  var status: ExitStatus
  var report: (any Report)?
  var failureCode: String?
  var ended: Date
  var duration: Duration

  /// Differences (2) are a success, because the caller asked for them with `--exit-code`. Findings (3) are a
  /// failure: of a health check only with `--fail-on`, of `container verify` for inconsistent records.
  var verdict: Verdict {
    switch status {
    case .done, .differences: .succeeded
    case .tryLater: .postponed
    case .locked: .leftToAnother
    default: .failed
    }
  }

  /// The job did all of its work. Findings (3) are a result: an alert for jobs that are late must not report them.
  var hasDoneAll: Bool { verdict == .succeeded || status == .findings }

  /// One line with numbers and codes; without names, URLs and input text.
  var summary: String {
    let code = failureCode.map { " (\($0))" } ?? ""
    let seconds = duration.components.seconds
    let numbers = report?.tally.map { ": \($0)" } ?? ""
    return "\(command) ended with status \(status.rawValue)\(code) after \(seconds) s\(numbers)"
  }
}

/// The file of `--metrics`. Each run replaces it atomically, so that a collector never reads an incomplete file.
struct MetricsFile: Sendable {
  let path: String
  /// The maximum size in bytes of a file that is read back. This tool's files have a few kilobytes.
  private static let sizeLimit = 1 << 20

  /// The file of the previous run; `nil` if it is missing or unreadable.
  private var former: String? {
    // Ignore errors: only the time of the last success is read from it, and the job must not fail because of it.
    guard let bytes = try? RegularFile.read(path, upTo: Self.sizeLimit) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Throws ``FileFailure`` naming the file and the reason.
  func write(_ metrics: JobRunMetrics) throws { try OutputFile.write(metrics.text(after: former), to: path) }
}
