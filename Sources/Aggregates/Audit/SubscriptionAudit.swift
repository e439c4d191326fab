internal import Catalog
package import CloudKitModel
package import Diagnostics
internal import RecordChanges

/// Looks for subscriptions that were made to raise a count
/// (Documentation/reference/subscriptions.md#audit).
///
/// Keeps who created which subscription in memory only. What it returns is about feeds, and numbers of creators.
package struct SubscriptionAudit: Sendable {
  package struct Limits: Sendable, Hashable {
    package var perCreator = 500
    package var perCreatorInHour = 200
    /// Signals are looked for in what was created since then; `nil` for all of it.
    package var since: Timestamp?

    package init() {}
  }

  package enum Signal: String, Sendable, Hashable, CaseIterable {
    /// Names that their creator cannot have.
    case madeUp
    /// Many subscribers within one hour, nearly all of them accounts that did nothing else.
    case newAccounts
    /// Many more subscribers within one hour than this feed and the catalog usually have.
    case burst
    /// More than twice the readers of the last recount.
    case jump
  }

  package struct Feed: Sendable, Hashable {
    package let recordName: String
    package var title: String?
    package let readers: Int64
    package let names: NameTally
    package var signals: Set<Signal>
  }

  /// Feeds with fewer readers are left out: signals about them would be about single people.
  package static let minReaders = 5
  /// The length of the window in which bursts are looked for, in milliseconds.
  static let hour: Int64 = 3_600_000

  private struct Trace: Sendable {
    var names = NameTally()
    /// When each subscription was made, and by whom.
    var events: [(time: Int64, creator: String)] = []

    var readers: Int64 { names.verified + names.own + names.madeUp + names.unknown }
    var isJudged: Bool { readers >= Int64(SubscriptionAudit.minReaders) }
  }

  private let limits: Limits
  private let checker: CreatorNames
  private var feeds: [String: Trace] = [:]
  private var creators: [String: [Int64]] = [:]

  package init(_ limits: Limits, names: CreatorNames) {
    self.limits = limits
    checker = names
  }

  // MARK: Reading

  /// Adds the subscriptions of a page, each with its `feedRecordName` and its creator, except those that no recount
  /// counts: without a feed, or with a name of another form.
  package mutating func add(_ records: [Record]) {
    let checker = CreatorNames.Checker(checker)
    for record in records {
      let feed = record["feedRecordName"]?.referredName ?? ""
      guard !feed.isEmpty, RecordNameRule.sha256OfCreator.accepts(record.recordName) else { continue }
      let creator = record.created?.userRecordName ?? ""
      let kind = checker.check(record.recordName, group: feed, creator: creator)
      feeds[feed, default: Trace()].names.add(kind)
      // Imports and restored records have the time and the creator of the import.
      guard kind != .own, !creator.isEmpty, let time = record.created?.timestamp.milliseconds else {
        continue
      }
      if let since = limits.since?.milliseconds, time < since { continue }
      creators[creator, default: []].append(time)
      feeds[feed]?.events.append((time, creator))
    }
  }

  // MARK: Judging

  /// The feeds with at least ``minReaders`` subscriptions, by record name.
  package func judgedFeeds(published: [String: Int64] = [:]) -> [Feed] {
    let all = feeds.values.flatMap { $0.events.map(\.time) }.sorted()
    return feeds.filter(\.value.isJudged).sorted { $0.key < $1.key }.map { name, trace in
      Feed(
        recordName: name, readers: trace.readers, names: trace.names,
        signals: signals(of: trace, published: published[name], catalog: all))
    }
  }

  package var creatorsOverLimit: Int { creators.values.count { $0.count > limits.perCreator } }

  package var creatorsOverHourlyLimit: Int {
    creators.values.count {
      $0.count > limits.perCreatorInHour && Self.busiestHour($0.sorted()).count > limits.perCreatorInHour
    }
  }

  package var judgedNames: [String] { feeds.filter(\.value.isJudged).map(\.key).sorted() }

  private func signals(of trace: Trace, published: Int64?, catalog: [Int64]) -> Set<Signal> {
    let readers = trace.readers
    var signals: Set<Signal> = []
    // A single wrong name may be an app's mistake.
    let madeUp = trace.names.madeUp
    if madeUp >= 5 || madeUp > 0 && madeUp * 10 >= readers { signals.insert(.madeUp) }
    if let published, published >= 20, readers > published * 2 { signals.insert(.jump) }
    let events = trace.events.sorted { $0.time < $1.time }
    let times = events.map(\.time)
    let window = Self.busiestHour(times)
    guard window.count >= 20, isBurst(window, times, catalog) else { return signals }
    let makers = Set(events[window].map(\.creator))
    let idle = makers.count { isIdle($0, around: times[window.lowerBound]) }
    signals.insert(idle * 5 >= makers.count * 4 ? .newAccounts : .burst)
    return signals
  }

  /// Whether an hour has five times what the feed has in its other hours, and five times its share of what all feeds
  /// have in that hour. On the day of a launch all feeds rise together.
  private func isBurst(_ window: Range<Int>, _ times: [Int64], _ catalog: [Int64]) -> Bool {
    let start = times[window.lowerBound]
    let others = times.indices.filter { !window.contains($0) }.map { times[$0] / Self.hour }
    let perHour = Dictionary(grouping: others) { $0 }.values.map(\.count).sorted()
    let usual = perHour.isEmpty ? 1 : perHour[perHour.count / 2]
    let (first, end) = (
      catalog.partitioningIndex(where: { $0 >= start }),
      catalog.partitioningIndex(where: { $0 >= start + Self.hour })
    )
    let elsewhere = end - first - window.count
    let otherFeeds = catalog.count - times.count
    let share = otherFeeds > 0 ? Double(times.count) / Double(otherFeeds) : 0
    let expected = Double(elsewhere) * share
    return window.count >= 5 * usual && Double(window.count) >= 5 * expected
  }

  /// Whether a creator has at most three subscriptions, all made within an hour of this moment.
  private func isIdle(_ creator: String, around time: Int64) -> Bool {
    let times = creators[creator] ?? []
    return times.count <= 3 && times.allSatisfy { (time - Self.hour...time + 2 * Self.hour).contains($0) }
  }

  /// The most of these times, in ascending order, that lie within one hour.
  static func busiestHour(_ times: [Int64]) -> Range<Int> {
    var best = 0..<0
    var start = 0
    for end in times.indices {
      while times[end] - times[start] >= hour { start += 1 }
      if end + 1 - start > best.count { best = start..<(end + 1) }
    }
    return best
  }
}

package struct SubscriptionAuditResult: Sendable {
  /// With at least ``SubscriptionAudit/minReaders`` subscriptions.
  package let feeds: [SubscriptionAudit.Feed]
  package let creatorsOverLimit: Int
  package let creatorsOverHourlyLimit: Int

  package var diagnostics: [Diagnostic] {
    var list = feeds.flatMap { feed in
      SubscriptionAudit.Signal.allCases.filter(feed.signals.contains).map { feed.finding($0) }
    }
    if creatorsOverLimit + creatorsOverHourlyLimit > 0 {
      list.report(
        AggregateRule.creatorsOverLimit,
        "\(counted(creatorsOverLimit, "creator")) with more subscriptions than allowed, and "
          + "\(creatorsOverHourlyLimit) with more of them within an hour")
    }
    return list
  }

  package var json: JSONObject {
    [
      "feeds": feeds.map(\.json).json, "creatorsOverLimit": creatorsOverLimit.json,
      "creatorsOverHourlyLimit": creatorsOverHourlyLimit.json, "complete": true.json,
    ]
  }
}

extension SubscriptionAuditResult {
  /// Reads all subscriptions of a container, in one sweep, and audits them. Throws the container's errors.
  package init(
    of container: any Container, limits: SubscriptionAudit.Limits, only: Set<String> = []
  ) async throws {
    var keys = try await LastJobRun.keys(of: LeaseName("recount subscribers"), in: container)
    if let caller = container.callerRecordName { keys.insert(CreatorNames.keyDigest(of: caller)) }
    var audit = SubscriptionAudit(limits, names: CreatorNames(ownKeys: keys))
    try await container.forEachPage(
      of: Query(CatalogRecordType.feedSubscription), desiredKeys: ["feedRecordName"]
    ) { page in
      audit.add(page.records)
    }
    let names = audit.judgedNames
    let records = try await container.readableRecords(names, desiredKeys: ["title", "subscriberCount"])
    var feeds = audit.judgedFeeds(published: records.compactMapValues { $0["subscriberCount"]?.int64 })
    for index in feeds.indices { feeds[index].title = records[feeds[index].recordName]?["title"]?.string }
    self.init(
      feeds: only.isEmpty ? feeds : feeds.filter { only.contains($0.recordName) },
      creatorsOverLimit: audit.creatorsOverLimit, creatorsOverHourlyLimit: audit.creatorsOverHourlyLimit)
  }
}

extension SubscriptionAudit.Feed {
  fileprivate func finding(_ signal: SubscriptionAudit.Signal) -> Diagnostic {
    let name = title.map { "'\($0)'" } ?? recordName
    switch signal {
    case .madeUp:
      return Diagnostic(
        AggregateRule.madeUp,
        "\(names.madeUp) of \(readers) subscriptions to \(name) have names that their creator cannot have",
        help: "Leave them out with 'recount subscribers --count-names verified'.")
    case .newAccounts:
      return Diagnostic(
        AggregateRule.newAccounts,
        "within one hour many accounts subscribed to \(name) that did nothing else")
    case .burst:
      return Diagnostic(
        AggregateRule.burst,
        "\(name) got many subscriptions within one hour, from people with other ones")
    case .jump:
      return Diagnostic(
        AggregateRule.jump, "\(name) has more than twice the readers of the last recount: \(readers)")
    }
  }

  fileprivate var json: JSONValue {
    let signals = signals.map(\.rawValue).sorted().map(JSONValue.string)
    return .object([
      "recordName": recordName.json, "title": JSONValue(orNull: title), "readers": readers.json,
      "verified": names.verified.json, "own": names.own.json, "madeUp": names.madeUp.json,
      "signals": signals.isEmpty ? .none : .some(.array(signals)),
    ])
  }
}
