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
    /// A feed that was never checked.
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
    let total = health.total
    var object: JSONObject = total.json
    if health.retired > 0 { object["retired"] = JSONValue(health.retired) }
    object["categories"] = .array(health.counts.map { .object($0.json(named: true)) })
    object["refused"] = JSONValue(health.refused)
    object["troubled"] = .array(health.troubled.map { $0.json(at: health.asOf) })
    object["groups"] = .array(health.troubledGroups.filter { $0.feeds.count > 1 }.map(\.json))
    object["neverChecked"] = .array(health.unchecked.map { $0.json(at: health.asOf) })
    object["oldestCheck"] = health.oldestCheck?.json(at: health.asOf)
    object["lastRun"] = health.lastRun.map { .string($0.iso8601) }
    object["unread"] = health.unread.map { .array([$0.json]) }
    object["articlesWritten"] = health.articlesWritten.map(JSONValue.integer)
    object["articlesInDay"] = health.articlesInDay.map(JSONValue.integer)
    object["readersAsOf"] = health.readersAsOf.map { .string($0.iso8601) }
    object["overdue"] = .array(overdue.map(JSONValue.string))
    object["asOf"] = .string(health.asOf.iso8601)
    return .object(object)
  }

  /// Feeds never checked that are listed by name.
  package static let maxListed = 20

  /// `retired 3, which no check asks: 120 feeds in all`; `nil` when none is.
  private var retiredSentence: String? {
    guard health.retired > 0 else { return nil }
    return
      "retired \(health.retired), which no check asks: "
      + "\(counted(health.feeds.count + health.retired, "feed")) in all"
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
    let later = health.lastIncompleteRun.map { "; a run, \(age($0)), left feeds out" } ?? ""
    guard let last = health.lastRun else {
      return (health.unread.map { "unknown, because \($0.clause)" } ?? "none is recorded") + later
    }
    let unasked = health.unaskedInLastRun
    return age(last) + (unasked > 0 ? ", which skipped \(counted(unasked, "due feed"))" : "") + later
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
    let jobs = [("health check", health.lastRun), ("recount of subscribers", health.lastRecount)]
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
    state(of: CatalogHealth.Group(host: HostName.of(entry.feedURL), status: entry.status, feeds: [entry]))
  }

  /// `down for 3 days, 976 readers`
  package func state(of group: CatalogHealth.Group) -> String {
    let ages = Set(
      group.feeds.map { $0.statusSince.flatMap { ReadableDuration.text(health.asOf.since($0)) } })
    let age = ages.count == 1 ? ages.first ?? nil : nil
    let lasting = age.map { " for \($0)" } ?? ""
    // One person may read several feeds of a host.
    let noun = group.feeds.count > 1 ? "subscription" : "reader"
    let readers = group.readers.map { ", \(counted($0, noun))" } ?? ""
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
    let names = group.feeds.prefix(Self.maxListedOfGroup).map { $0.title ?? $0.feedURL }
    let more = group.feeds.count - names.count
    return names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  /// Feeds of a group that are listed by name.
  private static let maxListedOfGroup = 5

  /// `failing since 2026-11-10T08:00:00Z, for 9 days; last success …; HTTP 404; uptime 40 % of 25 checks`
  package func facts(of group: CatalogHealth.Group) -> String {
    guard group.feeds.count > 1 else {
      return group.feeds[0].facts(at: health.asOf).joined(separator: "; ")
    }
    return group.failingSince.map { "the first fails since \($0.iso8601)" } ?? ""
  }

  /// What the last checks saw, if all feeds of the group have it: `plain text`.
  package func detail(of group: CatalogHealth.Group) -> String? {
    let details = Set(group.feeds.map(\.detail))
    return details.count == 1 ? details.first ?? nil : nil
  }

  /// What an editor can do.
  package func advice(for entry: CatalogHealth.Entry) -> String {
    FeedAdvice.text(
      entry.slug ?? entry.recordName, entry.reasons.first, address: entry.suggestedURL,
      of: entry.suggestedFeed)
  }
}

extension CatalogHealth.Count {
  fileprivate var json: JSONObject { json(named: false) }

  fileprivate func json(named: Bool) -> JSONObject {
    var object: JSONObject = named && category != nil ? ["category": .string(category ?? "")] : [:]
    object["feeds"] = JSONValue(feeds)
    for (key, status) in [("healthy", HealthStatus.healthy), ("degraded", .degraded), ("down", .down)] {
      object[key] = JSONValue(self[status])
    }
    object["unchecked"] = JSONValue(self[.unknown])
    return object
  }
}

extension CatalogHealth.Group {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "host": .string(host), "status": .string(status.rawValue), "feeds": JSONValue(feeds.count),
      "reasons": .array((feeds.first?.reasons ?? []).map { .string($0.code) }),
      "recordNames": .array(feeds.map { .string($0.recordName) }),
    ]
    object["readers"] = readers.map(JSONValue.integer)
    object["failingSince"] = failingSince.map { .string($0.iso8601) }
    return .object(object)
  }
}

extension CatalogHealth.Entry {
  fileprivate func json(at now: Timestamp) -> JSONValue {
    var object: JSONObject = [
      "recordName": .string(recordName), "feedURL": .string(feedURL),
      "status": .string(status == .unknown ? "unchecked" : status.rawValue),
    ]
    object["title"] = title.map(JSONValue.string)
    object["category"] = category.map(JSONValue.string)
    object["readers"] = readers.map(JSONValue.integer)
    object["statusSince"] = statusSince.map { .string($0.iso8601) }
    object["lastCheck"] = lastCheck.map { .string($0.iso8601) }
    if status.isTroubled { object["reasons"] = .array(reasons.map { .string($0.code) }) }
    object["suggestedURL"] = suggestedURL.map(JSONValue.string)
    guard status.isTroubled else { return .object(object) }
    if reasons.contains(where: \.isRefusal) { object["family"] = "refused" }
    object["detail"] = detail.map(JSONValue.string)
    object["failingSince"] = metadata.failureBegan.map { .string($0.iso8601) }
    object["lastSuccess"] = metadata.lastFetchSuccess.map { .string($0.iso8601) }
    object["httpStatus"] = metadata.httpStatus.map(JSONValue.integer)
    object["uptimePercentage"] = metadata.uptimePercentage.map(JSONValue.double)
    object["uptimeChecks"] = JSONValue.integer(metadata.history.totals(until: now.day).checks)
    let refused = metadata.refusals.totals(until: now.day).checks
    if refused > 0 { object["refusedChecks"] = .integer(refused) }
    return .object(object)
  }
}
