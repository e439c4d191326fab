internal import Diagnostics
internal import FoundationEssentials

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

  let outcome: JobRunOutcome
  let version: String

  /// The content of the metrics file.
  ///
  /// - Parameter former: the file of the previous run, from which a failed run copies the time of the last success.
  func text(after former: String?) -> String {
    let ended = (outcome.ended.timeIntervalSince1970 * 1000).rounded() / 1000
    // Use the labels of the previous run, so that alerts do not lose their series.
    let job =
      outcome.labels ?? former.flatMap { PrometheusText.labels(of: Self.lastCompletion, in: $0) }
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
  /// The command: `recount subscribers`.
  var command: String
  /// The command without arguments: `recount`.
  var title: String
  var status: ExitStatus
  var report: (any Report)?
  var failureCode: String?
  var ended: Date
  var duration: Duration
  /// Labels for command, container, environment and shard; `nil` if the run ended before its container was known.
  var labels: [Metric.Label]?

  /// How the run ended, for monitoring; `nil` when another run holds the lock and does the work.
  ///
  /// Differences (2) are a success, because the caller asked for them with `--exit-code`. Findings (3) are a
  /// failure: of a health check only with `--fail-on`, of `container verify` for inconsistent records. When the service
  /// was throttled or unavailable, the next run finishes the work.
  var end: MonitoringPingEvent? {
    switch status {
    case .done, .differences: .success
    case .tryLater: .log
    case .locked: nil
    default: .failure
    }
  }

  /// The job did all of its work. Findings (3) are a result: an alert for jobs that are late must not report them.
  var hasDoneAll: Bool { end == .success || status == .findings }

  /// One line with numbers and codes; without names, URLs and input text: an aggregate's name can be any.
  var summary: String {
    let code = failureCode.map { " (\($0))" } ?? ""
    let seconds = duration.components.seconds
    let numbers = report?.tally.map { ": \($0)" } ?? ""
    return "\(title) ended with status \(status.rawValue)\(code) after \(seconds) s\(numbers)"
  }
}

/// Metrics in the text format that Prometheus and node_exporter's textfile collector read (version 0.0.4).
///
/// All metrics are gauges, because a finished run has no counters. Samples have no timestamps: node_exporter would
/// skip the whole file (Documentation/Operators.md#metrics).
struct PrometheusText {
  static let prefix = "celestra_admin_"

  let text: String

  /// Groups samples by family, in the order in which the families first appear.
  init(_ metrics: [Metric]) {
    var families: [MetricFamily] = []
    for metric in metrics where !families.contains(metric.family) { families.append(metric.family) }
    text = families.map { family in
      let name = Self.prefix + family.name
      let lines = metrics.filter { $0.family == family }.map { Self.sample($0) + "\n" }.joined()
      return "# HELP \(name) \(Self.escaped(family.help, quotes: false))\n# TYPE \(name) gauge\n\(lines)"
    }.joined()
  }

  private static func sample(_ metric: Metric) -> String { "\(series(metric)) \(number(metric.value))" }

  /// The name and labels of a sample: `celestra_admin_feeds{status="down"}`.
  static func series(_ metric: Metric) -> String {
    let labels = metric.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
    return prefix + metric.family.name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
  }

  /// Escapes Unicode scalars, because a quote and a following combining mark form a different `Character`.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\"" where quotes: "\\\""
      default: String(scalar)
      }
    }.joined()
  }

  /// Writes a whole number without a fraction if `Double` represents it exactly.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  /// The value of a series in a file that this type wrote; `nil` if it is missing.
  static func value(of metric: Metric, in text: String) -> Double? {
    let start = series(metric) + " "
    let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
    return line.flatMap { Double($0.dropFirst(start.count)) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The labels of a family's first sample in a file that this type wrote; `nil` if it has none.
  static func labels(of family: MetricFamily, in text: String) -> [Metric.Label]? {
    let start = "\(prefix)\(family.name){"
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(start) }) else { return nil }
    return line.dropFirst(start.count).matches(of: /([a-z_]+)="((?:[^"\\]|\\.)*)"/).map { match in
      Metric.Label(String(match.1), unescaped(match.2))
    }
  }

  private static func unescaped(_ text: Substring) -> String {
    String(text.replacing(/\\(.)/) { $0.1 == "n" ? "\n" : String($0.1) })
  }
}
