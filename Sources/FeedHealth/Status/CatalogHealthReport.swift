internal import Catalog
internal import CloudKitModel
package import Diagnostics
internal import FeedFetching
internal import FeedState

/// The recorded health of the feeds as `status` prints it, worst first.
package struct CatalogHealthReport: Report {
  /// The status from which on a feed is a finding.
  package enum FailLevel: String, Sendable, CaseIterable {
    case degraded, down
    case unchecked
  }

  package let health: CatalogHealth
  let failLevel: FailLevel?

  package init(_ health: CatalogHealth, failLevel: FailLevel? = nil) {
    self.health = health
    self.failLevel = failLevel
  }

  package var status: ExitStatus {
    let total = health.total
    let isFinding =
      switch failLevel {
      case nil: false
      case .degraded: total[.degraded] + total[.down] > 0
      case .down: total[.down] > 0
      case .unchecked: total[.unknown] > 0
      }
    return isFinding ? .findings : .done
  }

  package var json: JSONValue {
    func list(_ entries: [CatalogHealth.Entry]) -> JSONValue { entries.map { $0.json(at: health.asOf) }.json }
    let more: JSONObject = [
      "retired": health.retired.isEmpty ? nil : health.retired.count.json,
      "categories": health.counts.map { $0.json(named: true) }.json, "refused": health.refused.json,
      "troubled": list(health.troubled),
      "groups": health.troubledGroups.filter { $0.feeds.count > 1 }.map(\.json).json,
      "neverChecked": list(health.unchecked), "oldestCheck": health.oldestCheck?.json(at: health.asOf),
      "lastRun": health.memory?.lastComplete?.iso8601.json, "unread": health.unread.map { [$0.json].json },
      "articlesWritten": health.memory?.articlesWritten?.json, "articlesInDay": health.articlesInDay?.json,
      "readersAsOf": health.readersAsOf?.iso8601.json, "overdue": overdue.json,
      "asOf": health.asOf.iso8601.json,
    ]
    return .object(JSONObject(health.total.json(named: false).members + more.members))
  }

  package static let maxListed = 20

  /// `retired 3, which no check asks unless --only names it: 120 feeds in all`; `nil` when none is.
  private var retiredSentence: String? {
    guard !health.retired.isEmpty else { return nil }
    return
      "retired \(health.retired.count), which no check asks unless --only names it: "
      + "\(counted(health.feeds.count + health.retired.count, "feed")) in all"
  }

  /// The last lines: what the counts leave out, and the age of the checks and counts.
  package var ages: [String] {
    let oldest = health.oldestCheck.flatMap { entry in
      entry.lastCheck.map { "\(age($0)) (\(entry.title ?? entry.feedURL))" }
    }
    return [retiredSentence].compactMap(\.self) + [
      "oldest check: \(oldest ?? "none")",
      "last complete run: \(lastRun)" + (health.articlesSentence.map { ", \($0)" } ?? ""),
      health.readersAsOf.map { "readers: as of the last recount, complete up to \(age($0))" }
        ?? "readers: as the records have them; \(health.readersUnknown)",
    ]
  }

  private var lastRun: String {
    let later = health.memory?.incomplete.map { "; a run, \(age($0)), left feeds out" } ?? ""
    guard let memory = health.memory, let last = memory.lastComplete else {
      return (health.unread.map { "unknown, because \($0.clause)" } ?? "none is recorded") + later
    }
    return age(last)
      + (memory.unasked > 0 ? ", which skipped \(counted(memory.unasked, "due feed"))" : "") + later
  }

  /// How many feeds are refused; `nil` when none is.
  package var refusedSentence: String? {
    let refused = health.refused
    guard refused > 0 else { return nil }
    return
      "the servers of \(counted(refused, "feed")) refuse us, so nothing is known about \(refused == 1 ? "it" : "them")"
  }

  /// Sentences about jobs whose last complete run is more than a day ago. Jobs without a recorded run are left out.
  package var overdue: [String] {
    let jobs = [
      ("health check", health.memory?.lastComplete), ("recount of subscribers", health.lastRecount),
    ]
    return jobs.compactMap { job, lastRun in
      guard let lastRun, case let age = health.asOf.since(lastRun), age > Self.maxJobAge,
        let words = ReadableDuration.text(age, hoursUpToDays: 3)
      else { return nil }
      return "no complete \(job) for \(words), since \(lastRun.iso8601)"
    }
  }

  /// Jobs run at least every day (Documentation/Operators.md#every-day).
  private static let maxJobAge = Duration.seconds(86_400)

  private func age(_ moment: Timestamp) -> String {
    let words = ReadableDuration.text(health.asOf.since(moment)).map { "\($0) ago" } ?? "just now"
    return "\(words), \(moment.iso8601)"
  }

  package func state(of entry: CatalogHealth.Entry) -> String {
    state(of: CatalogHealth.Group(feeds: [entry]))
  }

  /// `down for 3 days, 976 readers`
  package func state(of group: CatalogHealth.Group) -> String {
    let ages = Set(
      group.feeds.map { $0.statusSince.flatMap { ReadableDuration.text(health.asOf.since($0)) } })
    let age = ages.count == 1 ? ages.first ?? nil : nil
    let lasting = age.map { " for \($0)" } ?? ""
    let readers =
      group.readers.map { ", \(counted($0, CatalogHealth.nounOfReaders(group.feeds.count)))" } ?? ""
    return group.status.rawValue + lasting + readers
  }

  /// The feed's title, or how many feeds of which host.
  package func name(of group: CatalogHealth.Group) -> String {
    let entry = group.feeds[0]
    guard group.feeds.count > 1 else { return entry.title ?? entry.recordName }
    return "\(group.feeds.count) feeds of \(group.host)"
  }

  /// The feed's address, or the first feeds' titles.
  package func place(of group: CatalogHealth.Group) -> String {
    guard group.feeds.count > 1 else { return group.feeds[0].feedURL }
    return listed(group.feeds.map { $0.title ?? $0.feedURL }, upTo: Self.maxListedOfGroup)
  }

  private static let maxListedOfGroup = 5

  /// `failing since 2026-11-10T08:00:00Z, for 9 days; last success …; HTTP 404; uptime 40 % of 25 checks`
  package func facts(of group: CatalogHealth.Group) -> String {
    guard group.feeds.count > 1 else { return group.feeds[0].facts(at: health.asOf).joined(separator: "; ") }
    let verb = group.firstFailing?.isOnlyRefused == true ? "is refused" : "fails"
    return group.failingSince.map { "the first \(verb) since \($0.iso8601)" } ?? ""
  }

  /// What the last checks saw, if all feeds of the group have it: `plain text`.
  package func detail(of group: CatalogHealth.Group) -> String? {
    let details = Set(group.feeds.map(\.detail))
    return details.count == 1 ? details.first ?? nil : nil
  }

  package func advice(for entry: CatalogHealth.Entry) -> String {
    let name = entry.slug ?? entry.recordName
    if entry.hasMoved, let checked = entry.metadata.checkedURL {
      return
        "This was the address \(checked). Check the new one: celestra-admin health check --only \(name.shellWord)"
    }
    return FeedAdvice.text(
      name, entry.reasons.first, address: entry.suggestedURL, of: entry.suggestedFeed,
      isRedirect: entry.proposesRedirect)
  }
}

extension CatalogHealth.Count {
  fileprivate func json(named: Bool) -> JSONObject {
    [
      "category": named ? category?.json : nil, "feeds": feeds.json, "healthy": self[.healthy].json,
      "degraded": self[.degraded].json, "down": self[.down].json, "unchecked": self[.unknown].json,
    ]
  }
}

extension CatalogHealth.Group {
  fileprivate var json: JSONValue {
    .object([
      "host": host.json, "status": status.rawValue.json, "feeds": feeds.count.json,
      "reasons": (feeds.first?.reasons ?? []).map(\.code).json, "recordNames": feeds.map(\.recordName).json,
      "readers": readers?.json, "failingSince": failingSince?.iso8601.json,
    ])
  }
}

extension CatalogHealth.Entry {
  fileprivate func json(at now: Timestamp) -> JSONValue {
    let facts: JSONObject = [
      "recordName": recordName.json, "feedURL": feedURL.json,
      "status": status == .unknown ? "unchecked" : status.rawValue.json, "title": title?.json,
      "category": category?.json, "readers": readers?.json, "statusSince": statusSince?.iso8601.json,
      "lastCheck": lastCheck?.iso8601.json, "reasons": isTroubled ? .array(reasons.map(\.code.json)) : nil,
      "suggestedURL": suggestedURL?.json, "detail": detail?.json,
    ]
    guard isTroubled else { return .object(facts) }
    let refused = metadata.refusals.totals(until: now.day).checks
    let trouble: JSONObject = [
      "family": isRefused ? "refused" : nil,
      "failingSince": metadata.failureBegan?.iso8601.json,
      "lastSuccess": lastSuccess?.iso8601.json,
      "httpStatus": metadata.httpStatus?.json, "uptimePercentage": metadata.uptimePercentage?.json,
      "uptimeChecks": metadata.history.totals(until: now.day).checks.json,
      "refusedChecks": refused > 0 ? .integer(refused) : nil,
    ]
    return .object(JSONObject(facts.members + trouble.members))
  }
}

extension CatalogHealthReport {
  @ReportBodyBuilder package var body: ReportBody {
    if health.feeds.isEmpty {
      "\(health.noFeeds)"
    } else {
      table
    }
    ReportBody.space
    for group in health.troubledGroups { item(for: group) }
    if !health.troubled.isEmpty { ReportBody.space }
    if let uncheckedSentence {
      uncheckedSentence
      ReportBody.space
    }
    if let refusedSentence { ListItem(.caution, "\(refusedSentence)") }
    for sentence in overdue { ListItem(.caution, "\(sentence)") }
    for age in ages { "\(age, .dim)" }
  }

  /// The feeds from the state on that is a finding, or from degraded on; and what no job has done.
  package var urgent: ReportBody? {
    let least = failLevel == .down ? HealthStatus.down : .degraded
    return ReportBody {
      health.troubledGroups.filter { $0.status.severity >= least.severity }.map(item(for:))
      if failLevel == .unchecked, let uncheckedSentence { uncheckedSentence }
      for sentence in overdue { ListItem(.caution, "\(sentence)") }
    }
  }

  private var uncheckedSentence: StyledText? {
    guard !health.unchecked.isEmpty else { return nil }
    let feeds = health.unchecked.map { ($0.title ?? $0.feedURL) + ($0.detail.map { " (\($0))" } ?? "") }
    return "\(counted(feeds.count, "feed")) not checked yet: \(listed(feeds, upTo: Self.maxListed))"
  }

  private func item(for group: CatalogHealth.Group) -> ListItem {
    let entry = group.feeds[0]
    let details: [String?] =
      [state(of: group), facts(of: group)] + entry.reasons.map { "\($0.code) \($0.explanation)" }
      + [detail(of: group)]
    return ListItem(
      entry.status == .down ? .bad : .caution, "\(name(of: group))  \(place(of: group), .dim)",
      details: details.compactMap(\.self).filter { !$0.isEmpty }.map { StyledText($0) }
        + ["\(advice(for: entry), .dim)"])
  }

  private var table: Table {
    var table = Table(
      [.init("category", missing: "(none)")]
        + ["feeds", "healthy", "degraded", "down", "not checked"].map { .init($0, .right) })
    func add(_ count: CatalogHealth.Count, _ name: String?) {
      let numbers = [count.feeds, count[.healthy], count[.degraded], count[.down], count[.unknown]]
      table.rows.append(Table.Row([name.map { StyledText($0) }] + numbers.map { "\($0)" }))
    }
    for count in health.counts { add(count, count.category) }
    if health.counts.count > 1 { add(health.total, "all") }
    return table
  }
}
