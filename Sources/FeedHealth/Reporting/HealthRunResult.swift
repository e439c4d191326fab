package import Articles
internal import CloudKitModel
internal import FeedFetching
package import FeedState
package import RecordChanges

/// The result of a whole run. Text, JSON and exit code are made from it alone.
package struct HealthRunResult: Sendable {
  /// In the order the checks finished.
  package internal(set) var feeds: [FeedResult] = []
  package internal(set) var skipped: [SkippedFeed] = []
  /// The failure of our own network, if the run found one. It ended the run, and nothing was recorded from then on.
  package internal(set) var outage: LocalOutage?
  /// Feeds of hosts for which no name server answered, while it answered for others only when it was asked again. Nothing
  /// was recorded about them.
  var lost = 0
  var sharedPage: SharedPage?
  /// True when the run was ended before all due feeds were judged. What was judged is recorded.
  package internal(set) var isInterrupted = false
  /// The run was for all feeds of the container, and not for a category or single feeds.
  package internal(set) var isOfAll = false
  /// As the runs before remember it (``HealthRunMemory/kept``).
  var keptBefore: Set<String> = []
  /// The falls since the last such run are findings.
  var reportsFalls = false
  /// The run had a time budget, and waited for hosts that asked to.
  var hasBudget = false
  var reading = RunReading.all
  /// When the reading began, by the service's clock; `nil` for feeds that are in no container yet.
  var readingBegan: Timestamp?
  /// What changed since the last run that reported falls; in a run that reports none since the last that read all feeds,
  /// and in one that read only due feeds since its start. Empty during our own outage.
  package internal(set) var alerts = HealthAlerts()
  /// The container's schema lacks the fields that keep falls, refusals and reasons.
  package internal(set) var hasOlderSchema = false
  package internal(set) var writes = WriteSummary()
  /// What was stored of the feeds' items; `nil` for a run that stores none.
  package internal(set) var articles: ArticleCounts?
  /// With those of this run; `nil` when no run has stored articles.
  var articlesByHour: HourlyArticleCounts?
  /// The articles that this and earlier runs over all feeds wrote in the last 24 hours; `nil` when none has stored any.
  package internal(set) var articlesInDay: Int64?
  /// The container cannot store which documents the articles cover.
  package internal(set) var lacksArticleCoverage = false

  private static let missingCoverage =
    "The schema's FeedMetadata lacks articlesValidator STRING, itemIDRule INT64 and undatedItems LIST<INT64>: each run "
    + "fetches every document whole. Add these fields."

  /// What the schema lacks, and what that costs.
  package var notes: [String] {
    [lacksArticleCoverage ? Self.missingCoverage : nil, reading.note].compactMap(\.self) + quotas
  }

  /// How much hosts with several feeds admit that asked to wait (Documentation/reference/feeds.md#politeness).
  private var quotas: [String] {
    let waiting = Dictionary(grouping: skipped.filter { $0.reason.kind == .hostAsksToWait }) {
      HostName.of($0.feedURL)
    }
    let checked = Dictionary(grouping: feeds) { HostName.of($0.feedURL) }
    return Set(waiting.keys).union(checked.keys).sorted().compactMap { host in
      quota(of: host, checked[host] ?? [], waiting: waiting[host] ?? [])
    }
  }

  /// Answers that came in a shorter time show no rate.
  private static let shortestRateTime = Duration.seconds(10)

  /// `nil` for a host that did not ask to wait, or that has one feed. Two answers or more, other than 429, show its rate.
  private func quota(of host: String, _ results: [FeedResult], waiting: [SkippedFeed]) -> String? {
    let answers = results.filter { !$0.reasons.contains(.throttled) }.map(\.checkedAt.milliseconds).sorted()
    let feeds = results.count + waiting.count
    guard feeds > 1, answers.count < feeds else { return nil }
    let end =
      waiting.compactMap(\.reason.until?.milliseconds).max() ?? results.map(\.checkedAt.milliseconds).max()
    let time = end.flatMap { end in answers.first.map { Duration.milliseconds(end - $0) } } ?? .zero
    let perDay =
      time < Self.shortestRateTime ? nil : end.flatMap { ItemRate.perDay(of: answers, now: $0) }
    let rate =
      perDay.map { $0 / 24 }.map { ", at a rate of \(Int(max(1, $0.rounded()))) feeds an hour" } ?? ""
    return
      "\(host) answered for \(answers.count) of \(feeds) feeds and asked to wait\(rate); "
      + (feeds - answers.count == 1
        ? "only the other one is left for a later run." : "the others come first in later runs.")
      + (hasBudget ? "" : " With --budget, a run waits for such hosts.")
  }

  /// For `--explain`.
  package internal(set) var articleDecisions: [ArticleDecision] = []
  /// What a dry run would have written; `nil` for a run that writes.
  package internal(set) var plan: HealthUpdatePlan?

  /// Feeds that are not due were not read, so nothing is known about them.
  package var readsOnlyDue: Bool { if case .due = reading { true } else { false } }

  /// The feeds that have a verdict, which is recorded.
  package var checked: Int { feeds.count(where: \.isJudged) }
  package var notModified: Int { feeds.count { $0.isJudged && $0.notModified } }

  package func count(of status: HealthStatus) -> Int { feeds.count { $0.isJudged && $0.status == status } }

  /// Whether any feed checked is as bad as `status` or worse.
  package func hasChecked(atLeast status: HealthStatus) -> Bool {
    feeds.contains { $0.status.isTroubled && $0.status.severity >= status.severity }
  }

  /// The feeds that were not checked and whose recorded status is as bad as `status` or worse.
  package func unchecked(atLeast status: HealthStatus) -> [SkippedFeed] {
    skipped.filter { $0.status.isTroubled && $0.status.severity >= status.severity }
  }

  /// The feeds that a rule of this tool, such as that of private addresses, kept the run from asking, by record name.
  var kept: [String] {
    skipped.compactMap { if case .ownRules = $0.reason { $0.recordName } else { nil } }
  }

  /// Such a rule kept the run from feeds of which no run has said so, or from all, and will do so until a person changes
  /// something.
  package var isKeptFromFeeds: Bool {
    let kept = kept
    return !keptBefore.isSuperset(of: kept)
      || feeds.isEmpty && !kept.isEmpty && kept.count == skipped.count && !readsOnlyDue
  }

  /// Feeds checked that a wall or a refusal keeps from us.
  package var refused: Int { feeds.count { $0.isJudged && $0.isRefused } }

  /// Every feed was refused, on two hosts or more: probably our own address or user agent is.
  package var isRefusedEverywhere: Bool {
    checked > 0 && checked == refused
      && Set(feeds.lazy.filter(\.isJudged).map { HostName.of($0.feedURL) }).count > 1
  }
}

extension HealthRunResult {
  /// Adds what changed since the falls were last named.
  ///
  /// - Parameters:
  ///   - remembers: whether runs are remembered. If so, falls before the first run were never named.
  ///   - start: of the run; its own falls count whatever the clocks of other machines say.
  mutating func conclude(
    _ options: HealthOptions, after former: HealthRunMemory?, remembers: Bool, start: Timestamp,
    end: Timestamp
  ) {
    isOfAll = options.only.isEmpty && options.category == nil
    keptBefore = former?.kept ?? []
    reportsFalls = options.reportsFalls
    hasBudget = options.budget != nil
    hasOlderSchema = options.mapping.hasOlderSchema
    if former?.articlesByHour != nil || articles != nil {
      var counts = former?.articlesByHour ?? HourlyArticleCounts()
      counts.add(articles?.written ?? 0, at: end)
      articlesByHour = counts
      articlesInDay = counts.lastDay(at: end)
    }
    guard outage == nil else { return }
    let named = readsOnlyDue ? max(start, former?.namedUntil ?? start) : former?.falls(options)
    let since = named ?? (remembers ? Timestamp(milliseconds: 0) : start)
    alerts = HealthAlerts(self, since: since, start: start, end: end)
  }
}

/// The plan of a dry run: the changes that the health check would write.
package struct HealthUpdatePlan: Sendable {
  /// A tenth of the size of the changes, which are made on demand.
  var updates: [FeedStateUpdate] = []
  var articles: [RecordChange] = []

  /// The changes in the order in which they would be written.
  package var changes: [RecordChange] { articles + updates.flatMap(\.changes) }

  package static func summary(of changes: [RecordChange]) -> String {
    let created = changes.count { $0.action == .create }
    let deleted = changes.count { $0.action == .delete }
    return "Dry run: \(created) to create, \(changes.count - created - deleted) to update"
      + (deleted > 0 ? ", \(deleted) to delete" : "") + "; nothing was written."
  }
}
