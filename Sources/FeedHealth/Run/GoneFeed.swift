internal import Catalog
internal import CloudKitModel
internal import FeedFetching
internal import FeedState
internal import HTTPTransport

extension FeedChecker {
  /// Addresses tried for one feed.
  private static var maxTried: Int { 3 }

  /// Adds the feed that the response names in place of one that its server no longer serves
  /// (Documentation/reference/feeds.md#gone-feeds).
  func tryCandidates(
    for observation: inout FetchObservation, of target: FeedCheckTarget, _ throttle: HostThrottle,
    _ catalog: KnownFeedURLs
  ) async throws {
    for url in observation.candidates.prefix(Self.maxTried) where url != target.feedURL {
      let isSameHost = HostName.of(url) == target.host
      if isSameHost, try await !clock.waitForTurn(at: throttle) { continue }
      defer { if isSameHost { throttle.finished(at: clock.elapsed()) } }
      let found = try await fetch(url)
      guard found.outcome == .feed else { continue }
      let feed = SiteFeed(url: found.movedTo ?? url, title: found.feedTitle, siteURL: nil)
      if try await propose(feed, in: &observation, of: target, from: nil, catalog) { return }
    }
  }

  /// Adds the feed of the site that may take the place of one that is gone
  /// (Documentation/reference/feeds.md#gone-feeds). The site is asked at the first failure, when the feed falls, and then
  /// once a week.
  func searchSite(
    for observation: inout FetchObservation, of target: FeedCheckTarget, _ throttle: HostThrottle,
    _ robots: RobotsCache, _ catalog: KnownFeedURLs, turnsDown: Bool
  ) async throws {
    guard let search = options.siteSearch, observation.isGone, observation.discoveredURL == nil,
      turnsDown || Self.isDue(at: observation.time, after: target.metadata),
      let site = GoneFeed(target).site
    else { return }
    let siteTransport = SiteSearchTransport(
      transport: transport, robots: robots, userAgent: options.policy.userAgent, host: target.host,
      throttle: throttle, clock: clock)
    let feeds = try await search(site, siteTransport, options.policy.addressPolicy)
    observation.searchedSite = true
    for feed in feeds {
      if try await propose(feed, in: &observation, of: target, from: site, catalog) { return }
    }
  }

  /// Proposes a feed if nothing speaks against it. Else names it with the reason, unless another was named.
  ///
  /// - Parameter site: the site that has it; `nil` for a feed that the response names.
  private func propose(
    _ feed: SiteFeed, in observation: inout FetchObservation, of target: FeedCheckTarget, from site: String?,
    _ catalog: KnownFeedURLs
  ) async throws -> Bool {
    guard WebAddress.normalized(feed.url) != WebAddress.normalized(target.feedURL) else { return false }
    var objection = GoneFeed(target).objection(to: feed, of: site)
    if objection == nil, let owner = try await catalog.feed(at: feed.url, except: target.recordName) {
      objection = "it is the address of '\(owner.name)', another feed of the catalog"
      // It has the title, and says more than any before it.
      observation.suggestionNote = nil
    }
    let name = feed.title.map { "the feed '\($0)'" } ?? "a feed without a title"
    let clause = site.map { "the site \($0) has \(name)" } ?? "the answer names \(name)"
    if let objection {
      observation.suggestionNote =
        observation.suggestionNote ?? "\(clause) at \(feed.url), which is not proposed: \(objection)"
      return false
    }
    observation.discoveredURL = feed.url
    observation.suggestionNote = clause
    return true
  }

  private static func isDue(at now: Timestamp, after before: FeedMetadata) -> Bool {
    guard before.failureCount > 0, let last = before.lastHealthCheck else { return true }
    return last.day / 7 != now.day / 7
  }
}

/// The URLs of the catalog's feeds, to find out whether the catalog already has a suggested feed.
struct KnownFeedURLs: Sendable {
  let container: any Container
  let fields: FeedRecordMapping
  /// By normalized address; `nil` when only some of the feeds were read.
  let names: [String: KnownFeed]?

  /// Another feed with this address.
  func feed(at url: String, except own: String) async throws -> KnownFeed? {
    let key = WebAddress.normalized(url)
    if let names { return names[key].flatMap { $0.recordName == own ? nil : $0 } }
    let query = Query(fields.recordType, filters: [Filter(FieldName(fields.feedURL), equals: .string(url))])
    let keys = [fields.feedURL] + [fields.slug].compactMap(\.self) + fields.fieldsOfRetirement
    return try await container.allRecords(query, desiredKeys: keys).map { KnownFeed($0, fields) }.first {
      $0.recordName != own
    }
  }
}

extension FetchObservation {
  /// The server says that nothing is at the address, or sends a page in place of the feed.
  fileprivate var isGone: Bool {
    failure.map { [HealthReason.notFound, .gone, .htmlPage].contains($0) } ?? false
  }
}

/// Sends the requests of a search as those of health checks are sent.
private struct SiteSearchTransport: HTTPTransport {
  let transport: any HTTPTransport
  let robots: RobotsCache
  let userAgent: String
  /// The feed's host, whose pauses the run keeps.
  let host: String
  let throttle: HostThrottle
  let clock: HealthRunClock

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    guard await robots.allows(request.url) else {
      throw HTTPFailure(.invalidRequest, "robots.txt forbids the request")
    }
    let isSameHost = HostName.of(request.url) == host
    if isSameHost { try await pause() }
    defer { if isSameHost { throttle.finished(at: clock.elapsed()) } }
    var request = request
    request.headers["User-Agent"] = userAgent
    return try await transport.send(request)
  }

  private func pause() async throws(HTTPFailure) {
    let isAdmitted: Bool
    do { isAdmitted = try await clock.waitForTurn(at: throttle) } catch {
      throw HTTPFailure(.cancelled, "the run was ended")
    }
    if !isAdmitted { throw HTTPFailure(.invalidRequest, "the host asked for a pause") }
  }
}

/// A feed of the catalog that is gone, and what may be it elsewhere.
struct GoneFeed {
  private let title: String?
  /// Where to look: the site that the catalog names, else the root of the feed's host. The root of a host of many publishers
  /// belongs to none of them: then it is `nil`.
  let site: String?

  init(_ target: FeedCheckTarget) {
    let feedURL = target.feedURL
    title = target.title
    let named = target.siteURL.flatMap { WebAddress($0) == nil ? nil : $0 }.flatMap {
      WebAddress.normalized($0) == WebAddress.normalized(feedURL) ? nil : $0
    }
    let wanted = named ?? URLParts("/", relativeTo: feedURL)?.text
    site = wanted.flatMap { Self.belongsToOne($0) ? $0 : nil }
  }

  /// Why a feed may be another one than this; `nil` for one with its title, from its site or from the answer in its place.
  ///
  /// - Parameter site: the site that has it; `nil` for a feed that the answer names.
  func objection(to feed: SiteFeed, of site: String?) -> String? {
    if let site, !belongs(feed, to: site) { return "it belongs to another site" }
    if let site = site.flatMap({ WebAddress($0)?.host }), let page = feed.otherPage,
      WebAddress(page)?.host.isHost(of: site) != true
    {
      return "only another site names it, on \(page)"
    }
    return hasSameTitle(feed) ? nil : "its title differs"
  }

  private static func belongsToOne(_ site: String) -> Bool {
    guard let address = WebAddress(site) else { return false }
    return address.path.count > 1 || !KnownFeedSite.hasManyPublishers(address.host)
  }

  /// The feed names the site as its own, or is served by it. A link to another publisher's feed is neither.
  private func belongs(_ feed: SiteFeed, to site: String) -> Bool {
    guard let host = WebAddress(site)?.host else { return false }
    if KnownFeedSite.hasManyPublishers(host) {
      return feed.siteURL.flatMap { FeedURLComparisonKey($0) } == FeedURLComparisonKey(site)
    }
    return [feed.siteURL ?? feed.url].compactMap { WebAddress($0)?.host }
      .contains { KnownFeedSite.bare($0) == KnownFeedSite.bare(host) }
  }

  /// Whether the other title has every word of this one. A part of them proves nothing: feeds of one publisher share words,
  /// and the new owner of a lapsed domain often has a feed, too.
  private func hasSameTitle(_ feed: SiteFeed) -> Bool {
    guard let title, let other = feed.title else { return false }
    let (own, found) = (Self.words(title), Self.words(other))
    guard !own.isEmpty else { return title.lowercased() == other.lowercased() }
    return Set(own).isSubset(of: found) || own.joined() == found.joined()
  }

  /// Words that distinguish no feeds.
  private static let commonWords: Set<String> = [
    "a", "an", "the", "and", "of", "for", "from", "with", "your", "s", "blog", "news", "feed", "rss", "atom",
    "podcast", "posts", "latest", "articles", "home", "site", "website", "www", "com", "der", "die", "das",
    "und", "le", "la", "les", "de", "des", "del", "el", "los",
  ]

  private static func words(_ title: String) -> [String] {
    title.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
      .filter { !commonWords.contains($0) }
  }
}

package struct SiteFeed: Sendable, Hashable {
  package var url: String
  package var title: String?
  /// The site that the feed names as its own.
  package var siteURL: String?
  /// The page that names the feed, if that is not the site's page that was asked for.
  package var otherPage: String?

  package init(url: String, title: String?, siteURL: String?, otherPage: String? = nil) {
    self.url = url
    self.title = title
    self.siteURL = siteURL
    self.otherPage = otherPage
  }
}
