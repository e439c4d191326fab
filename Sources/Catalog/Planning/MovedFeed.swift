public import CloudKitModel

/// A seed feed with the record that it had under another URL (Documentation/reference/catalog.md#moved-feeds).
public struct MovedFeed: Sendable, Hashable {
  /// Why a feed and a record are probably the same feed.
  public enum Evidence: String, Sendable {
    /// The old URL redirects permanently to the new one.
    case redirect
    /// The titles are equal, and so is the host of the feed or of the site.
    case title
    /// Only the titles are equal.
    case titleOnly
    /// Only a host is equal.
    case host
  }

  public let slug: String
  public let recordName: String
  /// The record's title.
  public let label: String
  public let from: String
  public let to: String
  /// The published number of subscribers.
  public let readers: Int64
  public let evidence: Evidence
}

/// Finds the records of feeds whose URLs changed: one to one, or not at all.
public struct MovedFeedSearch {
  private let feeds: [SeedFeed]
  private let records: [Record]
  private let redirects: [String: String]

  /// - Parameters:
  ///   - feeds: those without a record.
  ///   - records: feeds that no seed mentions.
  ///   - redirects: where old URLs were permanently redirected to, by record name.
  public init(_ feeds: [SeedFeed], _ records: [Record], redirects: [String: String]) {
    self.feeds = feeds
    self.records = records
    self.redirects = redirects
  }

  /// The certain moves, and the possible ones that an editor should check.
  public func moves() -> (certain: [MovedFeed], suspected: [MovedFeed]) {
    var feeds = feeds
    var records = records
    var certain: [MovedFeed] = []
    for evidence in [MovedFeed.Evidence.redirect, .title] {
      let found = pairs(evidence, feeds, records)
      certain += found
      let (slugs, names) = (Set(found.map(\.slug)), Set(found.map(\.recordName)))
      feeds.removeAll { slugs.contains($0.slug) }
      records.removeAll { names.contains($0.recordName) }
    }
    var suspected: [MovedFeed] = []
    for evidence in [MovedFeed.Evidence.titleOnly, .host] {
      let known = Set(suspected.map(\.slug))
      suspected += candidates(evidence, feeds.filter { !known.contains($0.slug) }, records)
    }
    return (certain, suspected)
  }

  /// The pairs in which neither side matches anything else.
  private func pairs(_ evidence: MovedFeed.Evidence, _ feeds: [SeedFeed], _ records: [Record]) -> [MovedFeed]
  {
    let all = candidates(evidence, feeds, records)
    let bySlug = Dictionary(grouping: all, by: \.slug)
    let byName = Dictionary(grouping: all, by: \.recordName)
    return all.filter { bySlug[$0.slug]?.count == 1 && byName[$0.recordName]?.count == 1 }
  }

  private func candidates(_ evidence: MovedFeed.Evidence, _ feeds: [SeedFeed], _ records: [Record])
    -> [MovedFeed]
  {
    var index: [String: [Record]] = [:]
    for record in records {
      for key in Set(keys(evidence, record)) { index[key, default: []].append(record) }
    }
    return feeds.flatMap { feed in
      var seen: Set<String> = []
      return keys(evidence, feed).flatMap { index[$0] ?? [] }.filter { seen.insert($0.recordName).inserted }
        .map {
          MovedFeed(
            slug: feed.slug, recordName: $0.recordName, label: $0.catalogLabel,
            from: $0["feedURL"]?.string ?? "",
            to: feed.feedURL, readers: $0.readers, evidence: evidence)
        }
    }
  }

  /// What two feeds must have in common.
  private func keys(_ evidence: MovedFeed.Evidence, _ record: Record) -> [String] {
    keys(
      evidence, title: record["title"]?.string, urls: [record["feedURL"]?.string, record["siteURL"]?.string],
      redirect: redirects[record.recordName])
  }

  private func keys(_ evidence: MovedFeed.Evidence, _ feed: SeedFeed) -> [String] {
    keys(evidence, title: feed.title, urls: [feed.feedURL, feed.siteURL], redirect: feed.feedURL)
  }

  private func keys(
    _ evidence: MovedFeed.Evidence, title: String?, urls: [String?], redirect: String?
  ) -> [String] {
    let title = title?.lowercased() ?? ""
    let hosts = urls.compactMap { $0.flatMap { WebAddress($0)?.host } }.filter {
      !KnownFeedSite.hasManyPublishers($0)
    }
    .map { $0.hasPrefix("www.") ? String($0.dropFirst(4)) : $0 }
    switch evidence {
    case .redirect: return redirect.map { [WebAddress.normalized($0)] } ?? []
    case .title: return title.isEmpty ? [] : hosts.map { "\(title)\n\($0)" }
    case .titleOnly: return title.isEmpty ? [] : [title]
    case .host: return hosts
    }
  }
}
