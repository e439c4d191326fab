internal import Catalog
package import CloudKitModel
internal import Diagnostics
internal import FeedFetching
package import FeedState
internal import Platform

/// The stored health of a container's feeds. Reading it fetches no feeds.
package struct CatalogHealth: Sendable, Hashable {
  package struct Entry: Sendable, Hashable {
    package var recordName: String
    /// `nil` for a feed without one.
    package var slug: String?
    package var feedURL: String
    package var title: String?
    /// The category's slug, or its record's name when it has none.
    package var category: String?
    /// As of the last recount; `nil` when none was recorded.
    package var readers: Int64?
    /// The most important first. Empty for a feed that is well, and for reasons that only the check itself saw.
    package var reasons: [HealthReason]
    /// The proposed address of a feed that needs attention.
    package var suggestedURL: String? { isTroubled ? proposedURL : nil }
    /// The other feed of the catalog that has it.
    package internal(set) var suggestedFeed: KnownFeed?
    /// As of the last recount of quality, 0...100; `nil` when none was recorded.
    package var quality: Double?
    package var isVerified: Bool
    /// Whether no check asks it, so that its status is that of the last check before.
    package var isRetired = false
    package var metadata: FeedMetadata
    var thresholds = HealthThresholds()

    package var status: HealthStatus { metadata.status }
    package var statusSince: Timestamp? { metadata.statusSince }
    package var lastCheck: Timestamp? { metadata.lastHealthCheck }

    /// The address that the last check proposes, or that the publisher has redirected to at several checks; `nil` for a feed
    /// whose address was changed since.
    package var proposedURL: String? {
      hasMoved ? nil : metadata.suggestedURL ?? metadata.provenRedirect(thresholds)
    }

    /// Whether the publisher redirects to the proposed address for good.
    package var proposesRedirect: Bool { MovedFeed.isRedirect(metadata.redirectURL, to: proposedURL) }

    /// Whether the checks recorded another address than the feed has now, so that nothing they propose holds for it.
    package var hasMoved: Bool { metadata.checkedURL.map { $0 != feedURL } ?? false }

    /// What the last failed check saw beyond its reason, such as `plain text`; why a feed without a verdict was skipped.
    package var detail: String? {
      if status == .unknown { return metadata.lastFailureReason }
      // A refusal does not replace the reason of a failing feed.
      guard metadata.lastCheckFailed, !isRefused || metadata.lastReason?.isRefusal == true else { return nil }
      return metadata.lastFailureDetail
    }

    package var isRefused: Bool { reasons.contains(where: \.isRefusal) }

    /// Whether the feed was refused in each check since the last success. Otherwise `metadata.failureBegan` may be the
    /// time of a failure.
    package var isOnlyRefused: Bool { isRefused && metadata.failureCount == 0 }

    package var isTroubled: Bool { !isRetired && status.isTroubled }
  }

  package struct Count: Sendable, Hashable {
    /// `nil` for feeds without one.
    package var category: String?
    package var statuses: [HealthStatus: Int]

    package var feeds: Int { statuses.values.reduce(0, +) }
    package subscript(status: HealthStatus) -> Int { statuses[status] ?? 0 }
  }

  /// In the container's order, without retired ones.
  package internal(set) var feeds: [Entry] = []
  /// The retired feeds, in the container's order. They keep their readers, and no verdict counts them.
  package internal(set) var retired: [Entry] = []
  /// What the last health checks of all feeds left behind; `nil` when it is not known.
  var memory: HealthRunMemory?
  /// What jobs remember, when the key may not read it: nothing is known about their runs then.
  package internal(set) var unread: UnreadType?
  /// The articles that checks of all feeds wrote in the last 24 hours; `nil` when none has stored any.
  package var articlesInDay: Int64? { memory?.articlesByHour?.lastDay(at: asOf) }
  /// The end of the last recount of subscribers; `nil` when it is not known.
  package internal(set) var readersAsOf: Timestamp?
  /// When the last complete recount of subscribers ended; `nil` if unknown.
  package internal(set) var lastRecount: Timestamp?
  package internal(set) var asOf: Timestamp

  package init(asOf: Timestamp) { self.asOf = asOf }

  /// By category, in the order of their names.
  package var counts: [Count] {
    let groups = Dictionary(grouping: feeds, by: \.category)
    return groups.map { Count(category: $0, statuses: Self.statuses($1)) }
      .sorted {
        ($0.category == nil ? 1 : 0, $0.category ?? "") < ($1.category == nil ? 1 : 0, $1.category ?? "")
      }
  }

  package var total: Count { Count(category: nil, statuses: Self.statuses(feeds)) }

  private static func statuses(_ feeds: [Entry]) -> [HealthStatus: Int] {
    feeds.reduce(into: [:]) { $0[$1.status, default: 0] += 1 }
  }

  /// The worst first; of equal ones those with the most readers, then those that have lasted longest.
  package var troubled: [Entry] {
    feeds.filter(\.isTroubled).sorted {
      ($1.status.severity, $1.readers ?? 0, $0.statusSince?.milliseconds ?? .max, $0.feedURL)
        < ($0.status.severity, $0.readers ?? 0, $1.statusSince?.milliseconds ?? .max, $1.feedURL)
    }
  }

  package var unchecked: [Entry] { feeds.filter { $0.status == .unknown } }

  package var oldestCheck: Entry? {
    feeds.filter { $0.lastCheck != nil }.min {
      ($0.lastCheck?.milliseconds ?? 0, $0.feedURL) < ($1.lastCheck?.milliseconds ?? 0, $1.feedURL)
    }
  }
}

extension CatalogHealth {
  package var noFeeds: String { "The container has no feeds\(retired.isEmpty ? "" : " that are checked")." }

  /// Why it is unknown as of when the readers were counted.
  package var readersUnknown: String {
    unread.map { "\($0.clause), so it is unknown when they were counted" }
      ?? "no complete recount is recorded"
  }

  /// `12 articles written, 340 in 24 hours by runs for all feeds`; `nil` when no check has stored any.
  package var articlesSentence: String? {
    let scope = "in 24 hours by runs for all feeds"
    let day = articlesInDay.map { "\($0) \(scope)" }
    let last = memory?.articlesWritten.map { "\(counted($0, "article")) written" }
    if let last { return [last, day].compactMap(\.self).joined(separator: ", ") }
    return articlesInDay.map { "\(counted($0, "article")) written \(scope)" }
  }
}

extension CatalogHealth {
  /// Feeds of one host that need attention for the same reason, or a single feed.
  package struct Group: Sendable, Hashable {
    /// In the order of ``CatalogHealth/troubled``; at least one.
    package var feeds: [Entry]

    package var host: String { HostName.of(feeds[0].feedURL) }
    package var status: HealthStatus { feeds[0].status }
    package var readers: Int64? { feeds.map(\.readers).knownSum }
    /// The first failure of any of the feeds since it last worked.
    package var failingSince: Timestamp? { firstFailing?.metadata.failureBegan }

    /// The feed that began first to fail or to be refused; `nil` when it is known of none.
    package var firstFailing: Entry? {
      feeds.filter { $0.metadata.failureBegan != nil }.min {
        ($0.metadata.failureBegan?.milliseconds ?? 0) < ($1.metadata.failureBegan?.milliseconds ?? 0)
      }
    }
  }

  /// The noun for the sum of some feeds' readers: one person may read several of the feeds.
  package static func nounOfReaders(_ feeds: Int) -> String { feeds > 1 ? "subscription" : "reader" }

  /// The feeds that need attention, worst first. Feeds of one host with the same reasons are one group, unless another
  /// address is known for a feed.
  package var troubledGroups: [Group] {
    troubled.groups { entry in
      entry.suggestedURL != nil || entry.hasMoved || entry.reasons.isEmpty
        ? nil : [HostName.of(entry.feedURL), entry.status.rawValue] + entry.reasons.map(\.code)
    }.map(Group.init)
  }

  /// The feeds that a wall or a refusal keeps from us.
  package var refused: Int { feeds.count { $0.isTroubled && $0.isRefused } }
}

extension CatalogHealth.Entry {
  /// What is known about a feed that fails: since when, the last success, the HTTP status and the uptime.
  package func facts(at now: Timestamp) -> [String] {
    var facts: [String] = []
    if let began = metadata.failureBegan {
      let age = ReadableDuration.text(now.since(began)).map { ", for \($0)" } ?? ""
      facts.append("\(isOnlyRefused ? "refused" : "failing") since \(began.iso8601)\(age)")
    }
    if metadata.lastCheckFailed, metadata.lastFetchSuccess == nil ? !isRefused : lastSuccess != nil {
      facts.append("last success " + (lastSuccess?.iso8601 ?? "never"))
    }
    if let status = metadata.httpStatus, status != 200, status != 304 { facts.append("HTTP \(status)") }
    return facts + [uptime(at: now)].compactMap(\.self)
  }

  /// `nil` also for a feed that keeps no moment of it.
  var lastSuccess: Timestamp? { metadata.isLastSuccessDerived ? nil : metadata.lastFetchSuccess }

  private func uptime(at now: Timestamp) -> String? {
    let checks = metadata.history.totals(until: now.day).checks
    let refused = metadata.refusals.totals(until: now.day).checks
    let also = refused > 0 ? "; \(counted(refused, "check")) refused" : ""
    guard let share = metadata.uptimePercentage, checks > 0 else {
      return refused > 0 ? "\(counted(refused, "check")) refused" : nil
    }
    return "uptime \(Int(share)) % of \(counted(checks, "check"))\(also)"
  }
}
