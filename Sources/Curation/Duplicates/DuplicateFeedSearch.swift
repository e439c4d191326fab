package import Catalog
package import CloudKitModel
internal import Diagnostics
internal import FeedParsing
package import HTTPTransport
internal import XMLReading

package struct DuplicateFeedPair: Sendable, Hashable {
  package enum Level: String, Sendable, Hashable {
    /// The addresses differ only in parts that rarely matter.
    case likely
    /// Redirects, the addresses that the feeds give as their own, or common items prove it.
    case proven
    /// The URLs are similar, but the items are different.
    case different
  }

  package let level: Level
  /// The reasons, each one sentence without a full stop.
  package let evidence: [String]
  /// The feed to keep, and the one that it replaces.
  package let keep: String
  package let retire: String
}

package struct DuplicateFeedSearch: Sendable {
  /// Those that are not retired.
  let feeds: [SeedFeed]
  let collections: [SeedCollection]
  /// Published numbers of subscribers by slug.
  let readers: [String: Int64]

  package init(_ catalog: SeedCatalog, readers: [String: Int64]) {
    feeds = catalog.feeds.filter { !$0.isRetired }
    collections = catalog.collections
    self.readers = readers
  }

  /// The pairs that addresses, titles and sites show without a request, in the order of their slugs.
  package func likely() -> [DuplicateFeedPair] {
    let byAddress = groups { FeedURLComparisonKey($0.feedURL)?.key }
    let byTitle = groups(titleAndSite)
    var found: [String: (SeedFeed, SeedFeed, [String])] = [:]
    for (groups, evidence) in [
      (byAddress, "the addresses are almost the same"), (byTitle, "the titles and the sites are the same"),
    ] {
      for (a, b) in groups.flatMap({ pairs(of: $0, partners: 1) }) {
        found["\(a.slug)\n\(b.slug)", default: (a, b, [])].2.append(evidence)
      }
    }
    return found.values.map { pair(.likely, $2, $0, $1) }
      .sorted { ($0.keep, $0.retire) < ($1.keep, $1.retire) }
  }

  private func groups(_ key: (SeedFeed) -> String?) -> [[SeedFeed]] {
    Dictionary(grouping: feeds.filter { key($0) != nil }, by: key).values.filter { $0.count > 1 }
  }

  /// The title with the host of the site, or else of the feed; `nil` where many publishers share the host.
  private func titleAndSite(_ feed: SeedFeed) -> String? {
    guard let host = WebAddress(feed.siteURL ?? feed.feedURL)?.host, !KnownFeedSite.hasManyPublishers(host)
    else { return nil }
    return "\(feed.title.lowercased())\n\(KnownFeedSite.bare(host))"
  }

  /// Fetches feeds that look alike and compares what their publishers serve. Makes one request for each feed.
  ///
  /// Feeds look alike if they have almost the same address, the same title or the same site.
  package func proven(
    transport: any HTTPTransport, addresses: IPAddressPolicy
  ) async throws -> (pairs: [DuplicateFeedPair], unread: [String]) {
    let candidates = alike()
    var fetched: [String: FetchedFeed] = [:]
    var unread: [String] = []
    for slug in Set(candidates.flatMap { [$0.0.slug, $0.1.slug] }).sorted() {
      guard let feed = feeds.first(where: { $0.slug == slug }) else { continue }
      try Task.checkCancellation()
      if let found = await FetchedFeed(feed.feedURL, transport: transport, addresses: addresses) {
        fetched[slug] = found
      } else {
        unread.append(slug)
      }
    }
    let proven = candidates.compactMap { a, b -> DuplicateFeedPair? in
      guard let left = fetched[a.slug], let right = fetched[b.slug] else { return nil }
      let evidence = left.evidence(against: right)
      return evidence.isEmpty
        ? nil : pair(.proven, evidence, a, b, finalURLs: [a.slug: left.finalURL, b.slug: right.finalURL])
    }
    // Of three that are one feed, two are merged into the third.
    let best = Dictionary(grouping: proven, by: \.retire).compactMap { _, pairs in
      pairs.max { (readers[$0.keep] ?? 0, $1.keep) < (readers[$1.keep] ?? 0, $0.keep) }
    }
    let retired = Set(best.map(\.retire))
    let unproven = likely().filter { !retired.contains($0.retire) && !retired.contains($0.keep) }.map {
      pair in
      guard let left = fetched[pair.keep], let right = fetched[pair.retire], left.isDisjoint(from: right)
      else {
        return pair
      }
      return DuplicateFeedPair(
        level: .different, evidence: ["no item in common"], keep: pair.keep, retire: pair.retire)
    }
    return ((best + unproven).sorted { ($0.keep, $0.retire) < ($1.keep, $1.retire) }, unread)
  }

  // MARK: Pairs

  private func alike() -> [(SeedFeed, SeedFeed)] {
    var found: [String: (SeedFeed, SeedFeed)] = [:]
    let keys: [(SeedFeed) -> String?] = [
      { FeedURLComparisonKey($0.feedURL)?.key }, { $0.title.lowercased() },
      { $0.siteURL.flatMap { FeedURLComparisonKey($0)?.key } },
    ]
    for key in keys {
      for (a, b) in groups(key).flatMap({ pairs(of: $0, partners: 20) }) {
        found["\(a.slug)\n\(b.slug)"] = (a, b)
      }
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Each feed of a group with the first ones before it, unless an editor has compared the two. A hundred feeds of one
  /// publisher must not become thousands of pairs.
  ///
  /// - Parameter partners: the maximum number of pairs that a feed is the second one of.
  private func pairs(of group: [SeedFeed], partners: Int) -> [(SeedFeed, SeedFeed)] {
    let sorted = group.sorted { $0.slug < $1.slug }.prefix(101)
    return sorted.indices.flatMap { index in
      let feed = sorted[index]
      return sorted[..<index].lazy.filter { !feed.isDeclaredDifferent(from: $0) }.prefix(partners).map {
        ($0, feed)
      }
    }
  }

  /// Keeps the feed with more readers, because their records refer to it; then the verified one, the one with https,
  /// and the target of redirects.
  private func pair(
    _ level: DuplicateFeedPair.Level, _ evidence: [String], _ a: SeedFeed, _ b: SeedFeed,
    finalURLs: [String: String] = [:]
  ) -> DuplicateFeedPair {
    func rank(_ feed: SeedFeed) -> [Int64] {
      let isTarget =
        finalURLs[feed.slug].map { WebAddress.normalized($0) == WebAddress.normalized(feed.feedURL) } ?? false
      return [
        -(readers[feed.slug] ?? 0), feed.isVerified ? 0 : 1, feed.feedURL.hasPrefix("https:") ? 0 : 1,
        isTarget ? 0 : 1,
      ]
    }
    let keepsFirst = !rank(b).lexicographicallyPrecedes(rank(a))
    return DuplicateFeedPair(
      level: level, evidence: evidence, keep: keepsFirst ? a.slug : b.slug,
      retire: keepsFirst ? b.slug : a.slug)
  }
}

struct FetchedFeed {
  let finalURL: String
  private let permanent: Set<String>
  private let ownURL: String?
  private let url: String
  private let feed: ParsedFeed

  /// `nil` when it does not serve a feed.
  init?(_ url: String, transport: any HTTPTransport, addresses: IPAddressPolicy) async {
    let fetcher = PageFetcher(transport: transport, addresses: addresses)
    guard
      let response = try? await fetcher.get(
        url, headers: [], kept: FeedLimits().wantedBytes, time: .seconds(15), redirects: 5),
      (200..<300).contains(response.status)
    else { return nil }
    let feed = FeedParser.parse(
      response.body, contentType: response.headers["Content-Type"], baseURL: response.finalURL)
    guard feed.format != .unknown else { return nil }
    self.url = WebAddress.normalized(url)
    self.feed = feed
    finalURL = response.redirects.prefix { $0.isPermanent }.last?.to ?? url
    permanent = Set(response.redirects.prefix { $0.isPermanent }.map { WebAddress.normalized($0.to) })
    ownURL = feed.feedURL.map(WebAddress.normalized)
  }

  func evidence(against other: FetchedFeed) -> [String] {
    var evidence: [String] = []
    if permanent.contains(other.url) || other.permanent.contains(url) {
      evidence.append("one address redirects permanently to the other")
    } else if let target = permanent.intersection(other.permanent).min() {
      evidence.append("both addresses redirect permanently to \(target)")
    }
    // A feed that gives the other's address as its own proves nothing: such addresses are often wrong.
    if let ownURL, ownURL == other.ownURL, [url, other.url].contains(ownURL) {
      evidence.append("both name \(ownURL) as their own address")
    }
    let items = CommonFeedItems(feed, other.feed)
    if items.areSameFeed { evidence.append("\(items.common) of \(items.smaller) items are the same") }
    return evidence
  }

  func isDisjoint(from other: FetchedFeed) -> Bool {
    let items = CommonFeedItems(feed, other.feed)
    return items.smaller > 0 && items.common == 0
  }
}

package enum SubscriberCounts {
  /// The numbers by slug, each from the record that the feed names or that has its URL. Throws the container's
  /// errors.
  package static func read(_ catalog: SeedCatalog, from container: any Container) async throws -> [String:
    Int64]
  {
    var byName: [String: Int64] = [:]
    var byURL: [String: Int64] = [:]
    try await container.forEachRecord(
      of: Query(CatalogRecordType.publicFeed), desiredKeys: ["feedURL", "subscriberCount"]
    ) { record in
      guard case .int64(let count)? = record["subscriberCount"] else { return }
      byName[record.recordName] = count
      if let url = record["feedURL"]?.string { byURL[WebAddress.normalized(url)] = count }
    }
    return catalog.feeds.reduce(into: [:]) { counts, feed in
      counts[feed.slug] = feed.recordName.map { byName[$0] } ?? byURL[WebAddress.normalized(feed.feedURL)]
    }
  }
}
