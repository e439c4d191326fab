package import Catalog
package import CloudKitModel
internal import Diagnostics
internal import FeedParsing
internal import FeedState
package import HTTPTransport
internal import XMLReading

package struct DuplicateFeedPair: Sendable, Hashable {
  package enum Level: String, Sendable, Hashable {
    /// The addresses differ only in parts that rarely matter, or titles and hosts are the same.
    case likely
    /// Redirects, the addresses that the feeds give as their own, or common items prove it.
    case proven
    /// The URLs are similar, but the items are different.
    case different
  }

  package fileprivate(set) var level: Level
  /// The reasons, each one sentence without a full stop.
  package fileprivate(set) var evidence: [String]
  /// The feed to keep, and the one that it replaces.
  package let keep: String
  package let retire: String
  /// Why that one stays; completes a sentence about it.
  package let reason: String
}

package struct DuplicateFeedSearch: Sendable {
  /// Those that are not retired.
  let feeds: [SeedFeed]
  private let bySlug: [String: SeedFeed]
  let catalog: SeedCatalog
  /// Published numbers of subscribers by slug.
  private(set) var readers: [String: Int64]
  /// The feeds that their last check or `--fetch` could read.
  private var read: Set<String> = []
  /// When the records of feeds that have one were created, by slug; `nil` if that is unknown.
  private var created: [String: Timestamp?] = [:]
  /// Where addresses redirect for good, as health checks or `--fetch` saw, by slug.
  private var redirects: [String: String] = [:]

  package init(_ catalog: SeedCatalog, readers: [String: Int64] = [:]) {
    feeds = catalog.feeds.filter { !$0.isRetired }
    bySlug = feeds.keyed(by: \.slug)
    self.catalog = catalog
    self.readers = readers
  }

  /// Reads what a container has of the feeds. Throws the container's errors.
  package mutating func readRecords(in container: any Container) async throws {
    let records = try await container.allRecords(
      Query(CatalogRecordType.publicFeed), desiredKeys: ["slug", "feedURL", "subscriberCount"])
    let existing = ExistingCatalogRecords(records)
    let names = SeedRecordNames(of: catalog, in: existing)
    let byName = records.keyed(by: \.recordName)
    var checked: [String: (feed: SeedFeed, record: Record)] = [:]
    for feed in feeds {
      guard let record = names[.feed, feed.slug].flatMap({ byName[$0] }) else { continue }
      readers[feed.slug] = record["subscriberCount"]?.int64
      created[feed.slug] = .some(record.created?.timestamp)
      checked[CatalogRecordNames.metadata(feed: record.recordName)] = (feed, record)
    }
    let type = CatalogRecordType.feedMetadata
    for outcome in try await container.lookupAll(checked.keys.sorted(), of: type) {
      // Without the right to read what checks found, no redirect is known.
      guard outcome.error?.code != .accessDenied, let metadata = try outcome.found,
        let (feed, record) = checked[metadata.recordName]
      else { continue }
      let check = FeedMetadata(feed: record.recordName, record: metadata)
      if check.lastFetchSuccess != nil, !check.lastCheckFailed { read.insert(feed.slug) }
      let address = check.checkedURL ?? record["feedURL"]?.string ?? ""
      if WebAddress.normalized(address) == WebAddress.normalized(feed.feedURL) {
        redirects[feed.slug] = check.redirectURL
      }
    }
  }

  func feed(_ slug: String) -> SeedFeed? { bySlug[slug] }

  private static let redirected = "permanent redirects lead both to one address"

  /// The pairs that need no request of a site to be found, in the order of their slugs.
  package func likely() -> [DuplicateFeedPair] {
    let byAddress = groups { FeedURLComparisonKey($0.feedURL)?.key }
    let byTitle = groups(titleAndSite)
    var found: [String: (SeedFeed, SeedFeed, [String])] = [:]
    for (groups, evidence) in [
      (byAddress, "the addresses are almost the same"), (byTitle, "the titles and the hosts are the same"),
      (groups(target), Self.redirected),
    ] {
      for (a, b) in groups.flatMap({ pairs(of: $0, partners: 1) }) {
        found["\(a.slug)\n\(b.slug)", default: (a, b, [])].2.append(evidence)
      }
    }
    return found.values.map { pair($2.contains(Self.redirected) ? .proven : .likely, $2, $0, $1) }
      .sorted { ($0.keep, $0.retire) < ($1.keep, $1.retire) }
  }

  private func groups(_ key: (SeedFeed) -> String?) -> [[SeedFeed]] {
    Dictionary(grouping: feeds.filter { key($0) != nil }, by: key).values.filter { $0.count > 1 }
  }

  /// The address that a feed has or redirects to.
  private func target(_ feed: SeedFeed) -> String? {
    WebAddress.normalized(redirects[feed.slug] ?? feed.feedURL)
  }

  /// The title with the host of the site, or else of the feed; `nil` where many publishers share the host.
  private func titleAndSite(_ feed: SeedFeed) -> String? {
    guard let host = WebAddress(feed.siteURL ?? feed.feedURL)?.host, !KnownFeedSite.hasManyPublishers(host)
    else { return nil }
    return "\(feed.title.lowercased())\n\(KnownFeedSite.bare(host))"
  }

  /// Fetches feeds that look alike and compares what their publishers serve. Makes one request for each feed.
  ///
  /// Feeds look alike if they have almost the same address, the same title or the same site, or redirect to one address.
  package func proven(
    transport: any HTTPTransport, addresses: IPAddressPolicy
  ) async throws -> (pairs: [DuplicateFeedPair], unread: [String]) {
    var search = self
    let candidates = alike()
    var fetched: [String: FetchedFeed] = [:]
    var unread: [String] = []
    for slug in Set(candidates.flatMap { [$0.0.slug, $0.1.slug] }).sorted() {
      guard let feed = feed(slug) else { continue }
      try Task.checkCancellation()
      if let found = await FetchedFeed(feed.feedURL, transport: transport, addresses: addresses) {
        fetched[slug] = found
        search.read.insert(slug)
        search.redirects[slug] = found.redirect
      } else {
        unread.append(slug)
        search.read.remove(slug)
      }
    }
    let proven = candidates.compactMap { a, b -> DuplicateFeedPair? in
      guard let left = fetched[a.slug], let right = fetched[b.slug] else { return nil }
      let redirects = search.target(a) == search.target(b) ? [Self.redirected] : []
      let evidence = redirects + left.evidence(against: right)
      return evidence.isEmpty ? nil : search.pair(.proven, evidence, a, b)
    }
    // Of three that are one feed, two are merged into the third.
    let best = Dictionary(grouping: proven, by: \.retire).compactMap { _, pairs in
      pairs.max { a, b in
        guard let left = feed(a.keep), let right = feed(b.keep) else { return false }
        return search.choice(left, right).keep.slug == right.slug
      }
    }
    let retired = Set(best.map(\.retire))
    let unproven = search.likely().filter { !retired.contains($0.retire) && !retired.contains($0.keep) }.map {
      pair in
      guard let left = fetched[pair.keep], let right = fetched[pair.retire], left.isDisjoint(from: right)
      else { return pair }
      return copy(of: pair) { ($0.level, $0.evidence) = (.different, ["no item in common"]) }
    }
    return ((best + unproven).sorted { ($0.keep, $0.retire) < ($1.keep, $1.retire) }, unread)
  }

  // MARK: Pairs

  private func alike() -> [(SeedFeed, SeedFeed)] {
    var found: [String: (SeedFeed, SeedFeed)] = [:]
    let keys: [(SeedFeed) -> String?] = [
      { FeedURLComparisonKey($0.feedURL)?.key }, { $0.title.lowercased() },
      { $0.siteURL.flatMap { FeedURLComparisonKey($0)?.key } }, target,
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

  private func pair(
    _ level: DuplicateFeedPair.Level, _ evidence: [String], _ a: SeedFeed, _ b: SeedFeed
  ) -> DuplicateFeedPair {
    let choice = choice(a, b)
    return DuplicateFeedPair(
      level: level, evidence: evidence, keep: choice.keep.slug, retire: choice.retire.slug,
      reason: choice.reason)
  }

  /// The feed to which the other redirects stays, as `seed moves` says; then the one with more readers, because their records
  /// refer to it; then by the first of these rules that distinguishes the two.
  private func choice(_ a: SeedFeed, _ b: SeedFeed) -> (keep: SeedFeed, retire: SeedFeed, reason: String) {
    let isOneAddress = target(a) == target(b)
    let rules: [(reason: String, rank: (SeedFeed) -> Int64)] = [
      (
        "the other redirects to it",
        { isOneAddress && target($0) != WebAddress.normalized($0.feedURL) ? 0 : 1 }
      ),
      ("it has more readers", { readers[$0.slug] ?? 0 }),
      ("it could be read, and the other was not", { read.contains($0.slug) ? 1 : 0 }),
      ("the container has its record", { created[$0.slug] == nil ? 0 : 1 }),
      ("its record is older", { -((created[$0.slug] ?? nil)?.milliseconds ?? 0) }),
      ("it is verified", { $0.isVerified ? 1 : 0 }),
      ("its address has https", { $0.feedURL.hasPrefix("https:") ? 1 : 0 }),
    ]
    for (reason, rank) in rules where rank(a) != rank(b) {
      return rank(a) > rank(b) ? (a, b, reason) : (b, a, reason)
    }
    let (first, second) = a.slug < b.slug ? (a, b) : (b, a)
    return (first, second, "its slug is the first in the alphabet")
  }
}

struct FetchedFeed {
  /// Where the address redirects for good; `nil` for nowhere.
  let redirect: String?
  private let ownURL: String?
  private let url: String
  private let feed: ParsedFeed

  /// `nil` when it does not serve a feed.
  init?(_ url: String, transport: any HTTPTransport, addresses: IPAddressPolicy) async {
    let fetcher = PageFetcher(transport: transport, addresses: addresses)
    guard
      let response = try? await fetcher.get(
        url, headers: [], kept: FeedLimits().wantedBytes, time: .seconds(15), redirects: 5),
      response.isSuccess, let feed = response.feed
    else { return nil }
    self.url = WebAddress.normalized(url)
    self.feed = feed
    redirect = response.permanentTarget
    ownURL = feed.feedURL.map(WebAddress.normalized)
  }

  func evidence(against other: FetchedFeed) -> [String] {
    var evidence: [String] = []
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
