package import CloudKitModel
package import RecordChanges

/// A seed feed with a record that has another URL (Documentation/reference/catalog.md#moved-feeds).
package struct MovedFeed: Sendable, Hashable {
  /// Why a feed and a record are, or may be, the same feed.
  package enum Evidence: String, Sendable {
    case recordName
    case slug
    /// The old URL redirects permanently to the new one.
    case redirect
    /// The titles are equal, and so is the host of the feed or of the site.
    case title
    /// Only the titles are equal.
    case titleOnly
    case host
  }

  package let slug: String
  package let recordName: String
  package let label: String
  package let from: String
  package let to: String
  package var readers: ReaderCount
  package var evidence: Evidence

  /// Whether its readers might read another publisher afterwards, and no health check saw a redirect there.
  package var changesPublisher: Bool { evidence != .redirect && KnownFeedSite.mayBelongToOthers(from, to) }
}

extension MovedFeed {
  /// `nil` for a change that gives a feed no other URL.
  init?(
    _ change: RecordChange, label: String?, readers: ReaderCount, evidence: Evidence,
    _ feeds: FeedNames = .catalog
  ) {
    guard feeds.types.contains(change.recordType), change.action == .update else { return nil }
    for field in feeds.addresses.sorted() {
      guard let from = change.fields[field]?.from?.string, let to = change.fields[field]?.to?.string,
        WebAddress.normalized(from) != WebAddress.normalized(to)
      else { continue }
      self.init(
        slug: change.label ?? change.recordName, recordName: change.recordName,
        label: label ?? change.recordName, from: from, to: to, readers: readers, evidence: evidence)
      return
    }
    return nil
  }

  /// Whether only the titles are equal, so that a new record might lose readers.
  var hasSameTitle: Bool { evidence == .titleOnly }

  /// A redirect that a health check saw is the best evidence.
  mutating func noteRedirect(_ recorded: String?) {
    if Self.isRedirect(recorded, to: to) { evidence = .redirect }
  }

  /// Whether the permanent redirect of a feed that a health check recorded leads to an address, however both are spelled.
  package static func isRedirect(_ recorded: String?, to url: String?) -> Bool {
    guard let recorded, let url else { return false }
    return WebAddress.normalized(recorded) == WebAddress.normalized(url)
  }
}

extension String {
  package var withoutWWW: String { hasPrefix("www.") ? String(dropFirst(4)) : self }

  /// Whether this host is a site's own or below it.
  package func isHost(of site: String) -> Bool {
    let (host, site) = (withoutWWW, site.withoutWWW)
    return host == site || host.hasSuffix(".\(site)")
  }
}

extension ExistingCatalogRecords {
  /// Finds the records of feeds whose URLs changed, one to one or not at all: the certain moves, and the possible ones that
  /// an editor should check.
  ///
  /// - Parameters:
  ///   - feeds: those without a record.
  ///   - records: feeds that no seed mentions.
  package func moves(
    of feeds: [SeedFeed], among records: [Record]
  ) -> (certain: [MovedFeed], suspected: [MovedFeed]) {
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
      let urls = [record["feedURL"]?.string, record["siteURL"]?.string]
      let keys = evidence.keys(record["title"]?.string, urls, redirect: redirects[record.recordName])
      for key in Set(keys) { index[key, default: []].append(record) }
    }
    return feeds.flatMap { feed in
      var seen: Set<String> = []
      return evidence.keys(feed.title, [feed.feedURL, feed.siteURL], redirect: feed.feedURL)
        .flatMap { index[$0] ?? [] }.filter { seen.insert($0.recordName).inserted }
        .map {
          MovedFeed(
            slug: feed.slug, recordName: $0.recordName, label: $0.catalogLabel,
            from: $0["feedURL"]?.string ?? "",
            to: feed.feedURL, readers: readers(of: $0.recordName), evidence: evidence)
        }
    }
  }
}

extension MovedFeed.Evidence {
  /// What two feeds must have in common.
  fileprivate func keys(_ title: String?, _ urls: [String?], redirect: String?) -> [String] {
    let title = title?.lowercased() ?? ""
    let hosts = urls.compactMap { $0.flatMap { WebAddress($0)?.host } }.filter {
      !KnownFeedSite.hasManyPublishers($0)
    }
    .map(\.withoutWWW)
    switch self {
    case .redirect: return redirect.map { [WebAddress.normalized($0)] } ?? []
    case .title: return title.isEmpty ? [] : hosts.map { "\(title)\n\($0)" }
    case .titleOnly: return title.isEmpty ? [] : [title]
    case .host: return hosts
    case .recordName, .slug: return []
    }
  }
}

extension Record {
  /// The published number of subscribers, the larger one where a record of celestra-cloud has two; `nil` where none was counted.
  func publishedReaders(_ feeds: FeedNames = .catalog) -> Int64? {
    feeds.readers.compactMap { self[$0]?.int64 }.max().map { max(0, $0) }
  }

  static let readerFields = FeedNames.catalog.readers.sorted()
}

/// The record types of feeds with readers, and the fields of their addresses and readers: those of the catalog, and a
/// project's own.
package struct FeedNames: Sendable, Hashable {
  let types: Set<String>
  let addresses: Set<String>
  let readers: Set<String>

  package static let catalog = FeedNames(CatalogRecordType.publicFeed, "feedURL", "subscriberCount")

  package init(_ type: String, _ address: String, _ readers: String) {
    types = CatalogRecordType.feeds.union([type])
    addresses = ["feedURL", address]
    self.readers = ["subscriberCount", "usageCount", readers]
  }
}

/// What an editor can do when the address that is proposed for a feed is that of another feed of the catalog. They were two
/// feeds: only the publisher's redirect says that the other one continues both.
package enum TakenAddressAdvice {
  /// - Parameters:
  ///   - feed: the slug of the feed with the proposal, or its record name when it has none.
  ///   - other: the same of the feed that has the address.
  ///   - isRetired: whether the other feed is retired, so that it can replace none as it is.
  ///   - isRedirect: see ``MovedFeed/isRedirect(_:to:)``.
  package static func text(
    _ feed: String, to address: String, of other: String, isRetired: Bool, isRedirect: Bool
  ) -> String {
    let restoring = isRetired ? "remove \"retired\" and \"replacedBy\" from '\(other)', and " : ""
    let replacing = "\(restoring)add \"replacedBy\": \"\(other)\" to '\(feed)'"
    let owner = isRetired ? "'\(other)', which is retired" : "'\(other)'"
    if isRedirect {
      return
        "The publisher redirects '\(feed)' for good to \(address), the address of \(owner). To give its readers "
        + "that feed, \(replacing)."
    }
    return
      "\(address), proposed for '\(feed)', is the address of \(owner). They may be two feeds of one publisher: "
      + "compare them. Only if '\(other)' continues '\(feed)', \(replacing)."
  }
}
