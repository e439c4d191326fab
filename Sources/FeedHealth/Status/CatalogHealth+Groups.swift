internal import Catalog
package import CloudKitModel
internal import Diagnostics
internal import FeedFetching
package import FeedState
internal import Platform

extension CatalogHealth {
  /// Feeds of one host that need attention for the same reason, or a single feed.
  package struct Group: Sendable, Hashable {
    package var host: String
    package var status: HealthStatus
    /// In the order of ``CatalogHealth/troubled``; at least one.
    package var feeds: [Entry]

    package var readers: Int64? {
      let known = feeds.compactMap(\.readers)
      return known.isEmpty ? nil : known.reduce(0) { $0.addingClamped($1) }
    }
    /// The first failure of any of the feeds since it last worked.
    package var failingSince: Timestamp? {
      feeds.compactMap(\.metadata.failureBegan).min { $0.milliseconds < $1.milliseconds }
    }
  }

  /// What decides that two feeds have the same trouble.
  private struct Cause: Hashable {
    var host: String
    var status: HealthStatus
    var reasons: [HealthReason]
  }

  /// The feeds that need attention, worst first. Feeds of one host with the same reasons are one group, unless another
  /// address is known for a feed.
  package var troubledGroups: [Group] {
    var groups: [Group] = []
    var places: [Cause: Int] = [:]
    for entry in troubled {
      let cause = Cause(host: HostName.of(entry.feedURL), status: entry.status, reasons: entry.reasons)
      let isAlone = entry.suggestedURL != nil || entry.reasons.isEmpty
      if let place = places[cause], !isAlone {
        groups[place].feeds.append(entry)
      } else {
        if !isAlone { places[cause] = groups.count }
        groups.append(Group(host: cause.host, status: entry.status, feeds: [entry]))
      }
    }
    return groups
  }

  /// The feeds that a wall or a refusal keeps from us.
  package var refused: Int { feeds.count { $0.isTroubled && $0.reasons.contains(where: \.isRefusal) } }
}

extension CatalogHealth.Entry {
  /// What is known about a feed that fails: since when, the last success, the HTTP status and the uptime.
  ///
  /// - Parameter now: when the container was read.
  package func facts(at now: Timestamp) -> [String] {
    var facts: [String] = []
    if let began = metadata.failureBegan {
      let age = ReadableDuration.text(now.since(began)).map { ", for \($0)" } ?? ""
      facts.append("failing since \(began.iso8601)\(age)")
    }
    if metadata.lastCheckFailed {
      facts.append("last success " + (metadata.lastFetchSuccess.map(\.iso8601) ?? "never"))
    }
    if let status = metadata.httpStatus, status != 200, status != 304 { facts.append("HTTP \(status)") }
    return facts + [uptime(at: now)].compactMap(\.self)
  }

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
