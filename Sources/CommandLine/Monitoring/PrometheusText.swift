internal import Diagnostics

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
    var samples: [String: [Metric]] = [:]
    for metric in metrics {
      if samples[metric.family.name] == nil { families.append(metric.family) }
      samples[metric.family.name, default: []].append(metric)
    }
    text = families.map { family in
      let name = Self.prefix + family.name
      let lines = (samples[family.name] ?? []).map { Self.sample($0) + "\n" }.joined()
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
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\".unicodeScalars
      case "\n": escaped += "\\n".unicodeScalars
      case "\"" where quotes: escaped += "\\\"".unicodeScalars
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
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
