internal import CommandLine
internal import FeedHealth

/// The settings of health checks: thresholds, and limits for requests to hosts.
enum HealthSettings {
  struct Row: Sendable {
    let key: SettingKey
    /// A description of the values for messages.
    let takes: String
    /// Applies a value; false if it is invalid.
    let read: @Sendable (String, inout HealthOptions) -> Bool
  }

  static let rows: [Row] = [
    count(
      "failuresUntilDown", \.thresholds.failuresUntilDown, "failed checks in a row that make a feed down"),
    time(
      "hostFailureUntilDown", \.thresholds.hostFailureUntilDown,
      "how long DNS or TLS must have failed for a feed to be down"),
    share(
      "successRate", \.thresholds.successRate, "the share of good checks in 30 days that is still too low"),
    count("checksForRate", \.thresholds.checksForRate, "checks in 30 days from which that share counts"),
    time("staleAge", \.thresholds.staleAge, "how old the newest item may be"),
    count(
      "staleGaps", \.thresholds.staleGaps, "how many of its usual gaps a feed may miss, if that is longer"),
    time("slowAnswer", \.thresholds.slowAnswer, "how long an answer may take"),
    count(
      "redirectSightings", \.thresholds.redirectSightings,
      "checks in a row that must see a permanent redirect before it is suggested"),
    share(
      "outageShare", \.thresholds.outageShare,
      "the share of hosts without a connection that is our own outage"),
    count("outageSample", \.thresholds.outageSample, "hosts judged together for an outage"),
    count(
      "outageHosts", \.thresholds.outageHosts,
      "hosts that worked before, with fewer than which there is no outage"),
    time(
      "contentUntilDown", \.thresholds.contentUntilDown,
      "how long other content must be at a feed's address that worked in the last 7 days"),
    flag("obeyRobots", \.policy.obeysRobots, "whether robots.txt is asked for and obeyed"),
    time("hostDelay", \.policy.hostDelay, "the pause between two requests to one host"),
    time("interval", \.policy.interval, "the time between two checks of a feed that asks for nothing else"),
    count("maxRedirects", \.policy.maxRedirects, "redirects that a check follows"),
    count("maxFeedBytes", \.policy.maxBodyBytes, "bytes of a feed that are read"),
    time("longestInterval", \.policy.maxInterval, "the longest that a check is put off"),
  ]

  /// Throws a usage error for an invalid value.
  static func apply(_ settings: Settings, to options: inout HealthOptions) throws {
    for row in rows {
      guard let setting = try settings.lookup(row.key) else { continue }
      guard row.read(setting.value, &options) else { throw setting.refused(mustBe: row.takes) }
    }
  }
}

private typealias Path<Value> = any WritableKeyPath<HealthOptions, Value> & Sendable

private func key(_ name: String, _ summary: String) -> SettingKey {
  SettingKey(name: "health.\(name)", summary: summary)
}

private func row<Value>(
  _ name: String, _ path: Path<Value>, _ summary: String, takes: String,
  _ parse: @escaping @Sendable (String) -> Value?
) -> HealthSettings.Row {
  HealthSettings.Row(key: key(name, summary), takes: takes) { text, options in
    guard let value = parse(text) else { return false }
    options[keyPath: path] = value
    return true
  }
}

private func count(_ name: String, _ path: Path<Int>, _ summary: String) -> HealthSettings.Row {
  row(name, path, summary, takes: "a number from 1 up") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
}

private func share(_ name: String, _ path: Path<Double>, _ summary: String) -> HealthSettings.Row {
  row(name, path, summary, takes: "a number from 0 to 1") {
    Double($0).flatMap { (0...1).contains($0) ? $0 : nil }
  }
}

private func time(_ name: String, _ path: Path<Duration>, _ summary: String) -> HealthSettings.Row {
  row(name, path, summary, takes: "a time such as 30s, 5m, 2h or 1d") { try? DurationText.parse($0) }
}

private func flag(_ name: String, _ path: Path<Bool>, _ summary: String) -> HealthSettings.Row {
  row(name, path, summary, takes: "true or false") { Bool($0) }
}
