internal import Articles
internal import CloudKitModel
internal import Diagnostics
internal import FeedFetching
internal import FeedState
internal import Platform
internal import RecordChanges

/// What the lease record of health checks stores about the last runs over all feeds.
struct HealthRunMemory: Sendable, Hashable {
  /// As it is stored.
  let run: LastJobRun

  private func moment(_ key: String) -> Timestamp? { run.result[key]?.string.flatMap(Timestamp.init(text:)) }

  private var isComplete: Bool { run.result["complete"]?.bool ?? false }

  /// When the last run ended that had to report falls. Only such a run moves it, so that no other run takes an alert
  /// away. `nil` when no run has.
  fileprivate var reportedUntil: Timestamp? { moment("reportedUntil") }
  /// When the last run that read all feeds ended, whatever it had to report; `nil` when no run has.
  fileprivate var listedUntil: Timestamp? { moment("listedUntil") }
  /// When the last of these two runs ended.
  var namedUntil: Timestamp? { [reportedUntil, listedUntil].compactMap(\.self).max() }
  /// The end of the last run that checked every due feed; `nil` when no run has.
  var lastComplete: Timestamp? { isComplete ? run.finishedAt : moment("lastComplete") }
  /// The end of the last run, if it left due feeds for the next one.
  var incomplete: Timestamp? { isComplete ? nil : run.finishedAt }
  /// The due feeds that the last complete run did not ask.
  var unasked: Int { isComplete ? Int(clamping: run.result["unasked"]?.integer ?? 0) : 0 }
  /// The feeds that our own rules kept runs from asking, and that no run has asked since, by record name.
  var kept: Set<String> { Set(run.result["kept"]?.array?.compactMap(\.string) ?? []) }
  /// The articles that the last run wrote; `nil` for a run that stores none.
  var articlesWritten: Int64? { run.result["articles"]?.integer }
  /// `nil` when no run has stored articles.
  var articlesByHour: HourlyArticleCounts? { HourlyArticleCounts(run.result["articlesByHour"]) }
  /// The last complete run knows what changed in feeds before this moment of the service's clock; `nil` when no run says.
  fileprivate var changesSince: Timestamp? { moment("changesSince") }
  /// When the last complete run that read all feeds began to read, by the service's clock.
  fileprivate var allRead: Timestamp? { moment("allRead") }

  /// The hosts whose failures were taken for our own network's while other hosts delivered feeds: since when, and in how
  /// many runs.
  private var suspects: [String: (since: Timestamp, runs: Int64)] {
    (run.result["suspects"]?.object?.members ?? []).reduce(into: [:]) { suspects, member in
      let (host, entry) = member
      guard let runs = entry["runs"]?.integer,
        let since = entry["since"]?.string.flatMap(Timestamp.init(text:))
      else { return }
      suspects[host] = (since, runs)
    }
  }

  /// The hosts whose failures are their own from now on, as long as others deliver feeds: this would be the third run in
  /// at least a day (Documentation/reference/feeds.md#own-outage).
  func hostsAtFault(at now: Timestamp) -> Set<String> {
    Set(suspects.filter { $0.value.runs > 1 && now.since($0.value.since) >= Self.timeToBlameHosts }.keys)
  }

  private static let timeToBlameHosts = Duration.seconds(86_400)

  /// What is stored after an outage: the last run that recorded, with the hosts that failed.
  fileprivate func adding(_ hosts: Set<String>, at now: Timestamp) -> LastJobRun {
    let suspects = suspects
    let entries = hosts.sorted().map { host in
      let known = suspects[host]
      let entry: JSONObject = [
        "since": .string((known?.since ?? now).iso8601), "runs": .integer((known?.runs ?? 0) + 1),
      ]
      return (host, JSONValue.object(entry))
    }
    var result = run.result
    result["suspects"] = .object(JSONObject(entries))
    return LastJobRun(finishedAt: run.finishedAt, result: result)
  }

  /// The memory of the last run over all feeds, `nil` without one; and whether the key may read it.
  ///
  /// - Parameter writer: the job that is running, whose lease has read it already; `nil` in a dry run.
  static func read(_ writer: JobWriter?, in container: any Container) async throws -> (
    HealthRunMemory?, isReadable: Bool
  ) {
    do {
      let run =
        if let writer { try await writer.formerRun } else {
          try await LastJobRun.last(of: .health, in: container)
        }
      return (run.map(HealthRunMemory.init), true)
    } catch let error as ServerError where error.code == .accessDenied {
      return (nil, false)
    }
  }

  /// The end of the last run that named the falls which a run with these options would name again.
  func falls(_ options: HealthOptions) -> Timestamp? { options.reportsFalls ? reportedUntil : listedUntil }

  /// Which feeds a run has to read that begins now.
  ///
  /// - Parameter now: by the service's clock.
  func reading(at now: Timestamp, _ options: HealthOptions) -> RunReading {
    guard options.only.isEmpty, options.category == nil, !options.force, !options.readsAllFeeds,
      options.mapping.stateType != nil, let changesSince, let allRead, now >= allRead,
      now.since(allRead) < Self.maxTimeBetweenWholeReadings
    else { return .all }
    return .due(changedSince: changesSince)
  }

  /// A little less than a day, so that a daily run reads all feeds even if it starts early.
  private static let maxTimeBetweenWholeReadings = Duration.seconds(23 * 3600)
}

extension HealthRunResult {
  /// What to store about this run in the lease record; `nil` if it was not for all feeds, was interrupted, or has nothing
  /// to store. A run whose budget was used up has reported, too, but is not complete.
  func lastRun(at moment: Timestamp, after former: HealthRunMemory?) -> LastJobRun? {
    guard isOfAll, !isInterrupted, writes.isComplete else { return nil }
    if outage != nil {
      // A run in which no feed arrived says nothing about any host.
      guard feeds.contains(where: { $0.cause == nil }) else { return nil }
      return former?.adding(
        Set(feeds.filter { $0.cause == .ours }.map { HostName.of($0.feedURL) }), at: moment)
    }
    let unasked = skipped.count { $0.reason.isOfDueFeed }
    // A run that could not ask any due feed says nothing about the catalog.
    let isComplete = !skipped.contains { $0.reason == .budget } && (unasked == 0 || !feeds.isEmpty)
    let named = end(at: moment)
    let result: JSONObject = [
      "checked": checked.json, "healthy": count(of: .healthy).json, "degraded": count(of: .degraded).json,
      "down": count(of: .down).json, "skippedCount": skipped.count.json, "complete": isComplete.json,
      "unasked": unasked.json,
      // A run that is kept from a feed defers it, so the next runs do not try it.
      "kept": Array(keptBefore.subtracting(feeds.map(\.recordName)).union(kept).sorted().prefix(200)).json,
      "articles": articles?.written.json,
      "articlesByHour": articlesByHour?.json,
      "lastComplete": isComplete ? nil : former?.lastComplete?.iso8601.json,
      "reportedUntil": (reportsFalls ? named : former?.reportedUntil)?.iso8601.json,
      "listedUntil": (readsOnlyDue ? former?.listedUntil : named)?.iso8601.json,
      // A new feed of which nothing is recorded is found again only as a change.
      "changesSince": (isComplete && lost == 0 ? readingBegan : former?.changesSince)?.iso8601.json,
      "allRead": (isComplete && !readsOnlyDue ? readingBegan : former?.allRead)?.iso8601.json,
    ]
    return LastJobRun(finishedAt: moment, result: result)
  }

  /// The end of the run, not before the falls that it knows: the service's time, as its replies show it, can go back by a
  /// second.
  private func end(at moment: Timestamp) -> Timestamp {
    let falls = feeds.compactMap(\.falls.moments.last) + skipped.compactMap(\.falls.moments.last)
    return falls.filter { $0 <= moment + ServiceTime.limit }.reduce(moment) { max($0, $1) }
  }
}

/// Which feeds a run reads (Documentation/reference/feeds.md#what-a-run-reads).
enum RunReading: Sendable, Hashable {
  case all
  /// All, because the container's schema lacks these lines.
  case allWithoutIndexes([String])
  /// Those that are due, and those that changed since a moment of the service's clock.
  case due(changedSince: Timestamp)

  /// What would make the reading cheaper.
  var note: String? {
    guard case .allWithoutIndexes(let lines) = self, !lines.isEmpty else { return nil }
    return "All feeds were read, because the schema lacks an index that finds those to check. Add "
      + "\(lines.joined(separator: ", and "))."
  }
}

/// The articles that runs over all feeds wrote, by hour, for as long as the last day needs them.
struct HourlyArticleCounts: Sendable, Hashable {
  private static let hoursOfDay: Int64 = 24
  /// By hours since 1970.
  private var counts: [Int64: Int64] = [:]

  init() {}

  /// `nil` for another kind of value.
  init?(_ json: JSONValue?) {
    guard let counts = json.flatMap({ try? [Int64: Int64](json: $0) }) else { return nil }
    self.counts = counts
  }

  var json: JSONValue { counts.json }

  /// Adds what a run wrote, and forgets what is older than a day.
  mutating func add(_ written: Int, at now: Timestamp) {
    counts = counts.filter { Self.isRecent($0.key, at: now) }
    if written > 0 { counts[Self.hour(now)] = (counts[Self.hour(now)] ?? 0).addingClamped(Int64(written)) }
  }

  /// The sum of this hour and the 23 before it.
  func lastDay(at now: Timestamp) -> Int64 {
    counts.filter { Self.isRecent($0.key, at: now) }.values.reduce(0) { $0.addingClamped($1) }
  }

  private static func isRecent(_ hour: Int64, at now: Timestamp) -> Bool {
    hour > Self.hour(now) - hoursOfDay && hour <= Self.hour(now)
  }

  private static func hour(_ time: Timestamp) -> Int64 { time.milliseconds / 3_600_000 }
}

/// What changed in the catalog since it was last said: what an operator wants to hear once.
package struct HealthAlerts: Sendable, Hashable {
  package struct Feed: Sendable, Hashable {
    package var recordName: String
    package var title: String?

    /// For people.
    package var name: String { title.flatMap { $0.isEmpty ? nil : $0 } ?? recordName }
  }

  /// Feeds that fell since then and are down, and flapping feeds that have settled there.
  package internal(set) var newlyDown: [Feed] = []
  /// Feeds that were down before this run and answered in it.
  package internal(set) var recovered: [Feed] = []
  /// Feeds that fell for the second time within a week. A later fall of the same chain is not repeated here.
  package internal(set) var flapping: [Feed] = []

  /// Whether the run has what `--fail-on newly-down` reports.
  package var hasFalls: Bool { !newlyDown.isEmpty || !flapping.isEmpty }

  /// The lists with the words that reports use for them.
  var lists: [(words: StaticString, feeds: [Feed])] {
    [("newly down", newlyDown), ("flapping", flapping), ("recovered", recovered)].filter { !$0.1.isEmpty }
  }

  /// `newly down: Alpha, Beta and 3 more`
  var sentences: [String] { Self.sentences(lists) }

  /// Those that ``hasFalls`` is about.
  var falls: [String] { Self.sentences(lists.filter { $0.words.description != "recovered" }) }

  private static func sentences(_ lists: [(words: StaticString, feeds: [Feed])]) -> [String] {
    lists.map { words, feeds in "\(words): \(listed(feeds.map(\.name), upTo: maxNamed))" }
  }

  /// `, 2 newly down, 1 recovered`; empty without changes.
  var counts: Tally { lists.map { ", \($0.feeds.count) \($0.words)" as Tally }.joined() }

  private static let maxNamed = 10
}

extension HealthAlerts {
  /// The events of a run. A retired feed, which only its name has checked, has none.
  ///
  /// - Parameters:
  ///   - since: the end of the last run that named the falls before it.
  ///   - start: the start of this run: its own falls count whatever the clocks of other machines say.
  init(_ run: HealthRunResult, since: Timestamp, start: Timestamp, end: Timestamp) {
    let own = Timestamp(milliseconds: min(since.milliseconds, start.milliseconds - 1))
    for feed in run.feeds where !feed.isRetired {
      let named = Feed(recordName: feed.recordName, title: feed.title)
      let isDown = feed.status == .down
      let first = isDown && feed.previousStatus != .down ? own : since
      add(named, feed.falls.events(after: first, until: end, isDown: isDown))
      if feed.hasRecovered { recovered.append(named) }
    }
    for feed in run.skipped where !feed.isRetired {
      let named = Feed(recordName: feed.recordName, title: feed.title)
      add(named, feed.falls.events(after: since, until: end, isDown: feed.status == .down))
    }
  }

  private mutating func add(_ feed: Feed, _ events: Set<FallHistory.Event>) {
    if events.contains(.newlyDown) { newlyDown.append(feed) }
    if events.contains(.flapping) { flapping.append(feed) }
  }
}

extension FeedResult {
  /// The feed was down, and this check got it. A refusal shows no feed.
  var hasRecovered: Bool { isJudged && previousStatus == .down && status != .down && !isRefused }

  /// A wall or a refusal stands before the feed.
  package var isRefused: Bool { reasons.contains(where: \.isRefusal) }
}
