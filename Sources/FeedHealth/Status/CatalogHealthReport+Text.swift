internal import CloudKitModel
package import Diagnostics
internal import FeedState

extension CatalogHealthReport {
  @ReportBodyBuilder package var body: ReportBody {
    if health.feeds.isEmpty {
      "The container has no feeds\(health.retired > 0 ? " that are checked" : "")."
    } else {
      table
    }
    Space()
    for group in health.troubledGroups { item(for: group) }
    if !health.troubled.isEmpty { Space() }
    if let uncheckedSentence {
      uncheckedSentence
      Space()
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
    let feeds = health.unchecked.map { $0.title ?? $0.feedURL }
    let more = feeds.count > Self.maxListed ? " and \(feeds.count - Self.maxListed) more" : ""
    return
      "\(counted(feeds.count, "feed")) not checked yet: \(feeds.prefix(Self.maxListed).joined(separator: ", "))\(more)"
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

  /// The counts of each category, and of all feeds.
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
