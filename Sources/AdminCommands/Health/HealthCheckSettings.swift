internal import Catalog
internal import CommandLine
internal import Diagnostics
internal import FeedFetching
internal import FeedHealth
internal import FeedState

enum HealthCheckSettings {
  /// One setting: its key, and how its text changes the options of a check.
  struct Row: Sendable {
    let key: SettingKey
    /// Throws a usage error for an invalid value.
    let apply: @Sendable (Settings, inout HealthOptions) throws -> Void
  }

  static let rows: [Row] = [
    count(
      "failuresUntilDown", \.thresholds.failuresUntilDown, "failed checks in a row that make a feed down"),
    time(
      "hostFailureUntilDown", \.thresholds.hostFailureUntilDown,
      "how long DNS or TLS must have failed before a feed is down"),
    share(
      "successRate", \.thresholds.successRate,
      "the highest share of good checks in 30 days that makes a feed degraded"),
    count(
      "checksForRate", \.thresholds.checksForRate,
      "the least number of checks in 30 days for which that share is computed"),
    time("staleAge", \.thresholds.staleAge, "how old the newest item may be"),
    count(
      "staleGaps", \.thresholds.staleGaps,
      "how many of its usual gaps between items may pass, if that is longer"),
    time("slowAnswer", \.thresholds.slowAnswer, "how long an answer may take"),
    count(
      "redirectSightings", \.thresholds.redirectSightings,
      "checks in a row that must see a permanent redirect before it is suggested"),
    share(
      "outageShare", \.thresholds.outageShare,
      "the share of hosts that seem unreachable from which on the cause is our own network"),
    count(
      "outageSample", \.thresholds.outageSample, "how many hosts are judged together for that"),
    count(
      "outageHosts", \.thresholds.outageHosts,
      "the least number of hosts for that; of fewer hosts, none may be reached"),
    time(
      "contentUntilDown", \.thresholds.contentUntilDown,
      "how long a feed that worked in the last 7 days must serve other content before it is down"),
    flag("obeyRobots", \.policy.obeysRobots, "whether robots.txt is read and obeyed"),
    time("hostDelay", \.policy.hostDelay, "the pause between two requests to one host"),
    time(
      "interval", \.policy.interval, "the time between two checks of a feed, unless the feed asks for another"
    ),
    count("maxRedirects", \.policy.maxRedirects, "how many redirects a check follows"),
    count("maxFeedBytes", \.policy.maxBodyBytes, "how many bytes of a feed are read"),
    time("longestInterval", \.policy.maxInterval, "the longest time until the next check"),
  ]
}

extension HealthOptions {
  /// What the settings say of checks, and of the records that checks write and others read. Throws a usage error for an
  /// invalid value.
  init(_ settings: Settings) throws {
    self.init()
    mapping = try FeedRecordSettings.mapping(settings)
    for row in HealthCheckSettings.rows { try row.apply(settings, &self) }
  }
}

private typealias Path<Value> = any WritableKeyPath<HealthOptions, Value> & Sendable

private func row<Value>(
  _ name: String, _ path: Path<Value>, _ summary: String, _ type: SettingType,
  written: (Value) -> String, _ parse: @escaping @Sendable (String) -> Value?
) -> HealthCheckSettings.Row {
  let key = SettingKey(
    name: "health.\(name)", type, default: written(HealthOptions()[keyPath: path]), summary: summary)
  return HealthCheckSettings.Row(key: key) { settings, options in
    if let value = try settings.value(key, { key.type.allows($0) ? parse($0) : nil }) {
      options[keyPath: path] = value
    }
  }
}

private func count(_ name: String, _ path: Path<Int>, _ summary: String) -> HealthCheckSettings.Row {
  row(name, path, summary, .count, written: \.description) { Int($0) }
}

private func share(_ name: String, _ path: Path<Double>, _ summary: String) -> HealthCheckSettings.Row {
  row(name, path, summary, .share, written: \.description) { Double($0) }
}

private func time(_ name: String, _ path: Path<Duration>, _ summary: String) -> HealthCheckSettings.Row {
  row(name, path, summary, .duration, written: { ShortDuration.text($0) }) {
    SettingType.duration.readDuration($0)
  }
}

private func flag(_ name: String, _ path: Path<Bool>, _ summary: String) -> HealthCheckSettings.Row {
  row(name, path, summary, .boolean, written: \.description) { Bool($0) }
}

enum FeedRecordSettings {
  static let profile = SettingKey(
    name: "records.profile", .choice(FeedRecordMapping.profiles.keys.sorted()), default: "celestra",
    summary: "the program whose record types the feeds have")

  private typealias Path = any WritableKeyPath<FeedRecordMapping, String> & Sendable
  private static let names: [(key: SettingKey, path: Path)] = [
    name("feedType", "the record type of a feed; Feed with celestra-cloud, unless it is set", \.recordType),
    name("feedURL", "the field with a feed's address", \.feedURL),
    name("title", "the field with a feed's title", \.title),
    name("category", "the field with a feed's category", \.category),
    name("subscriberCount", "the field with a feed's readers", \.subscriberCount),
  ]

  private static func name(_ name: String, _ summary: String, _ path: Path) -> (SettingKey, Path) {
    let key = SettingKey(
      name: "records.\(name)", default: FeedRecordMapping.celestra[keyPath: path], summary: summary)
    return (key, path)
  }

  static var keys: [SettingKey] { [profile] + names.map(\.key) }

  /// Throws a usage error for a profile that does not exist.
  static func mapping(_ settings: Settings) throws -> FeedRecordMapping {
    var mapping = try settings.value(profile) { FeedRecordMapping.profiles[$0]?() } ?? .celestra
    for (key, path) in names {
      if let name = try settings[key] { mapping[keyPath: path] = name }
    }
    return mapping
  }
}

extension CommandContext {
  /// The feeds whose readers changes put at risk.
  var feedNames: FeedNames {
    get throws {
      let feeds = try FeedRecordSettings.mapping(settings)
      return FeedNames(feeds.recordType, feeds.feedURL, feeds.subscriberCount)
    }
  }

  /// Says that seeds and verification know only the catalog's types, where the project keeps its feeds in another.
  func noteOtherFeedType(known: Set<String> = [FeedRecordMapping.celestra.recordType]) throws {
    let type = try FeedRecordSettings.mapping(settings).recordType
    guard !known.contains(type) else { return }
    let scope: PrintableText =
      "This command knows only the catalog's record types, such as \(FeedRecordMapping.celestra.recordType); "
    note(scope + "this project keeps its feeds in \(type).")
  }
}
