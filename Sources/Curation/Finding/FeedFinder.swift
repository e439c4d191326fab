package import Catalog
package import CloudKitModel
internal import FeedParsing
package import HTTPTransport
internal import XMLReading

/// Finds the feeds of a site, from an address as a person types it
/// (Documentation/reference/curation.md#finding-feeds).
///
/// The order is: rules of known sites; the address itself; `Link` headers and link elements; rules of the program that
/// made the page; links in its text; addresses that many sites use. Each later step is taken only while nothing was
/// found. A feed is what the project's own parser reads as one.
package struct FeedFinder: Sendable {
  package struct Limits: Sendable {
    package var requests = 20
    /// For a page that declares one feed.
    package var requestsForOneFeed = 5
    package var declared = 6
    package var anchors = 4
    package var guesses = 14
    /// Other pages of the site that are read when the page itself leads to no feed.
    package var pages = 3
    package var pictures = 3
    /// For all requests of an input.
    package var time = Duration.seconds(30)

    package init() {}

    /// For each of possibly thousands of feeds that a health check finds gone: the page and some of its links or guesses.
    package static let forGoneFeeds = {
      var limits = Limits()
      limits.requests = 8
      limits.pictures = 0
      limits.time = .seconds(20)
      return limits
    }()
  }

  private let fetcher: PageFetcher
  private let limits: Limits
  private let catalog: CatalogFeedURLs
  private let now: Timestamp

  package init(
    transport: any HTTPTransport, addresses: IPAddressPolicy, catalog: SeedCatalog = SeedCatalog(),
    now: Timestamp, limits: Limits = Limits()
  ) {
    fetcher = PageFetcher(transport: transport, addresses: addresses)
    self.catalog = CatalogFeedURLs(catalog)
    self.now = now
    self.limits = limits
  }

  /// Finds the feeds at an address. Failures are part of the result. Throws only `CancellationError`.
  package func find(_ input: String) async throws -> FeedSearchResult {
    var search = FeedSearch(input: input, fetcher: fetcher, limits: limits)
    try await search.run()
    var result = search.result
    result.readsPrivateAddresses = fetcher.addresses == .any
    result.feeds = FeedRanking(
      page: search.pageURL, pageLanguage: search.pageLanguage, now: now, catalog: catalog
    ).ranked(result.feeds)
    if let best = result.choices.first {
      result.imageURL = try await search.picture(for: best)
      result.requests = search.result.requests
      result.attempts = search.result.attempts
    }
    return result
  }
}

/// The addresses of a catalog's feeds, to recognize found feeds.
struct CatalogFeedURLs: Sendable {
  /// By normalized address.
  private var slugs: [String: String] = [:]
  /// The normalized addresses of the first feeds with each key.
  private var comparable: [FeedURLComparisonKey: String] = [:]

  init(_ catalog: SeedCatalog) {
    for feed in catalog.feeds { add(ComparableAddress(feed.feedURL), of: feed.slug) }
  }

  mutating func add(_ address: ComparableAddress, of slug: String) {
    slugs[address.normalized] = slug
    if let key = address.key, comparable[key] == nil { comparable[key] = address.normalized }
  }

  /// The feed that an address leads to, with its normalized address.
  ///
  /// - Parameter trail: the addresses that led to the feed, and those it names as its own.
  func known(
    _ address: ComparableAddress, trail: [ComparableAddress]
  ) -> (feed: MatchingCatalogFeed, url: String)? {
    func feed(at url: String, _ level: MatchingCatalogFeed.Level) -> (feed: MatchingCatalogFeed, url: String)?
    {
      slugs[url].map { (MatchingCatalogFeed(slug: $0, level: level), url) }
    }
    if let same = feed(at: address.normalized, .same) { return same }
    if let proven = trail.lazy.compactMap({ feed(at: $0.normalized, .proven) }).first { return proven }
    let likely = ([address] + trail).lazy.compactMap(\.key).compactMap { comparable[$0] }.first
    return likely.flatMap { feed(at: $0, .likely) }
  }
}

extension HTTPResponse {
  var isSuccess: Bool { (200..<300).contains(status) }

  /// The feed that the body is; `nil` for anything else.
  var feed: ParsedFeed? {
    let feed = FeedParser.parse(body, contentType: headers["Content-Type"], baseURL: finalURL)
    return feed.format == .unknown ? nil : feed
  }
}

/// Makes requests, each within the limits on one.
struct PageFetcher: Sendable {
  let transport: any HTTPTransport
  let addresses: IPAddressPolicy

  func get(
    _ url: String, headers: HTTPHeaders, kept: Int, time: Duration, redirects: Int
  ) async throws(HTTPFailure) -> HTTPResponse {
    var limits = HTTPLimits(totalTimeout: min(time, .seconds(15)), maxRedirects: min(5, max(0, redirects)))
    limits.keptBodyBytes = kept
    return try await transport.send(
      HTTPRequest(url: url, headers: headers, limits: limits, addressPolicy: addresses))
  }
}
