internal import Catalog
internal import Diagnostics
internal import FeedParsing
internal import HTTPTransport
internal import XMLReading

/// The search for one input: the requests so far, the feeds found, and the remaining limits.
struct FeedSearch {
  private(set) var result: FeedSearchResult
  /// The URL of the page after redirects; the requested address if no page was read.
  private(set) var pageURL: String?
  private let fetcher: PageFetcher
  private var limits: FeedFinder.Limits
  private let started = ContinuousClock.now
  private var page: WebPage?
  private var pageHeaders: HTTPHeaders = []
  /// Addresses that were requested or reached by redirects, so that none is read twice.
  private var seen: Set<String> = []
  private var otherPages = 0
  /// The addresses that the program which made the page gives the feeds of the whole site.
  private var mainFeeds: Set<String> = []
  /// Pages behind links that are named like a feed, not yet opened.
  private var linkedPages: [(url: String, response: HTTPResponse)] = []

  init(input: String, fetcher: PageFetcher, limits: FeedFinder.Limits) {
    result = FeedSearchResult(input: input)
    self.fetcher = fetcher
    self.limits = limits
  }

  mutating func run() async throws {
    let typed = TypedSiteAddress.candidates(result.input)
    guard let first = typed.first else {
      return result.problem = TypedSiteAddress.problem(with: result.input)
    }
    if let known = WebAddress(first).flatMap(KnownFeedSite.feeds) {
      try await read(known.feeds, .siteRule, limit: 3)
    }
    if result.feeds.isEmpty { try await readPage(typed) }
    try await readLinks()
    // Any page of the site names the site's feeds, if the site is what was given.
    let site = WebAddress(first).flatMap { $0.isRoot ? $0.host : nil }
    guard result.feeds.isEmpty, !result.isSubscriptionList, let pageURL else {
      return noteElsewhere(nil, isOwn: true, site)
    }
    let missing = page == nil ? result.attempts.last?.outcome : nil
    try await readOtherPages(of: pageURL)
    if result.feeds.isEmpty { try await guess(around: pageURL) }
    let isBelow = result.feeds.contains { $0.feedURL.hasPrefix(pageURL) }
    noteElsewhere(missing, isOwn: isBelow || site != nil, site)
  }

  /// - Parameters:
  ///   - isOwn: whether feeds that no other page names are those of the address that was given.
  ///   - site: the host whose pages, with those of the hosts below it, are all the address's own.
  private mutating func noteElsewhere(_ missing: String?, isOwn: Bool, _ site: String?) {
    let isNamed = result.feeds.allSatisfy { feed in
      guard let page = feed.otherPage else { return true }
      guard let site, let host = WebAddress(page)?.host else { return false }
      return host.isHost(of: site)
    }
    let isOwn = isOwn && missing == nil && isNamed
    guard !result.feeds.isEmpty, !isOwn else { return }
    let hasComments = result.feeds.contains { $0.otherPage == nil && FeedRanking.isCommentsFeed($0) }
    result.isElsewhere =
      missing.map { "has no page (\($0))" }
      ?? "is not a feed and names \(hasComments ? "only comments" : "none")"
  }

  private mutating func readLinks() async throws {
    guard let page, !hasPosts else { return }
    try await readDeclared(page)
    if !hasPosts {
      try await read(PlatformFeedURLs.feeds(of: page, headers: pageHeaders), .siteRule, limit: 2)
    }
    if !hasPosts {
      try await read(
        FeedLinkFilter.candidates(in: page, limit: limits.anchors), .anchor, limit: limits.anchors)
    }
    if !hasPosts { try await readLinkedPages() }
  }

  /// A link named "RSS feeds" often leads to a page that lists them. Links of that page to further pages are not followed.
  private mutating func readLinkedPages() async throws {
    for linked in linkedPages where !hasPosts {
      open(linked.response, linked.url)
      guard let page else { return }
      try await readDeclared(page)
      try await read(
        FeedLinkFilter.candidates(in: page, limit: limits.anchors), .anchor, limit: limits.anchors)
    }
    linkedPages = []
  }

  /// The site's home page, when the page is another, and pages that are named like a blog: some sites link to their feed
  /// only there.
  private mutating func readOtherPages(of first: String) async throws {
    var pages = page.map { BlogPageFilter.candidates(in: $0) } ?? []
    let linking = page
    if let home = URLParts("/", relativeTo: first)?.text { pages.insert(home, at: 0) }
    for url in pages where !seen.contains(WebAddress.normalized(url)) {
      guard otherPages < limits.pages, result.feeds.isEmpty else { return }
      otherPages += 1
      guard let response = try await get(url), response.isSuccess else { continue }
      if take(response, from: url, .anchor, on: linking) { return }
      // The page that was asked for is not there: another one was read instead.
      if page == nil { result.page = response.finalURL }
      open(response, url)
      try await readLinks()
    }
  }

  /// `/en/` in the address says more than the page's own attribute, which many sites leave at one value.
  var pageLanguage: String? {
    let first = pageURL.flatMap { WebAddress($0) }?.path.split(separator: "/").first.map(String.init)
    let named = first.flatMap { $0.utf8.count == 2 || $0.utf8.count == 5 ? LanguageCodes.codeOfTag($0) : nil }
    return named ?? page?.tags.language.flatMap(LanguageCodes.code)
  }

  private var hasPosts: Bool { result.feeds.contains { !FeedRanking.isCommentsFeed($0) } }

  // MARK: Steps

  /// The page at the first address that answers. One without a scheme is tried with https, then with http.
  private mutating func readPage(_ addresses: [String]) async throws {
    for address in addresses {
      guard let response = try await get(address) else { continue }
      pageURL = response.finalURL
      result.page = response.finalURL
      if response.status == 200, take(response, from: address, .input) { return }
      guard response.isSuccess else { return }
      open(response, address)
      try await followRefresh()
      return
    }
    let last = result.attempts.last { $0.status == nil }
    result.problem = last.map { "no page was read: \($0.outcome)" }
  }

  /// Makes a response the present page.
  private mutating func open(_ response: HTTPResponse, _ address: String) {
    if DocumentKind(response.body) == .subscriptionList {
      result.isSubscriptionList = true
      return note(address, response.status, "a list of feeds in OPML")
    }
    pageHeaders = response.headers
    let page = WebPage(
      response.body, contentType: response.headers["Content-Type"], url: response.finalURL)
    self.page = page
    mainFeeds.formUnion(PlatformFeedURLs.feeds(of: page, headers: pageHeaders).map(WebAddress.normalized))
    result.pageTitle = result.pageTitle ?? page.tags.title
    note(address, response.status, "a page\(page.tags.title.map { ": \($0)" } ?? "")")
  }

  /// Many old addresses send the browser on with an element of the page.
  private mutating func followRefresh() async throws {
    for _ in 0..<2 {
      guard let page, page.links.isEmpty, let target = page.refreshURL,
        !seen.contains(WebAddress.normalized(target)), let response = try await get(target),
        response.isSuccess
      else { return }
      pageURL = response.finalURL
      result.page = response.finalURL
      if take(response, from: target, .linkElement) { return }
      open(response, target)
    }
  }

  private mutating func readDeclared(_ page: WebPage) async throws {
    let headers = pageHeaders.values("Link").flatMap(LinkHeader.links).prefix(WebPage.maxLinks)
      .filter { $0.feedKind != nil }.compactMap {
        URLParts(FeedURLComparisonKey.withoutFeedScheme($0.target), relativeTo: page.url)?.text
      }
    try await read(headers, .linkHeader, limit: limits.declared)
    var left = limits.declared - min(headers.count, limits.declared)
    for link in page.links where left > 0 {
      if try await read(link.url, .linkElement, link: link) { left -= 1 }
    }
    if page.links.count > limits.declared {
      note(
        page.url, nil,
        "the page names \(page.links.count)\(page.links.count == WebPage.maxLinks ? " or more" : "") feeds; "
          + "\(limits.declared) of them were read")
    }
  }

  private mutating func guess(around page: String) async throws {
    guard let root = URLParts("/", relativeTo: page)?.text else { return }
    // A site that shows us no page rarely shows us a feed.
    let count = self.page == nil ? limits.guesses / 2 : limits.guesses
    for url in GuessedFeedURLs.all(around: page, root: root).prefix(count) {
      try await read(url, .guess)
      if !result.feeds.isEmpty { return }
    }
  }

  private mutating func read(_ urls: [String], _ origin: FeedOrigin, limit: Int) async throws {
    for url in urls.prefix(limit) { try await read(url, origin) }
  }

  /// Reads an address that may be a feed. Returns false when no request was made.
  @discardableResult
  private mutating func read(_ url: String, _ origin: FeedOrigin, link: WebPage.FeedLink? = nil) async throws
    -> Bool
  {
    guard !seen.contains(WebAddress.normalized(url)) else {
      if origin != .guess { note(url, nil, "the same address as one before") }
      return false
    }
    guard let response = try await get(url), response.isSuccess else { return true }
    // Many sites answer an unknown path with their home page.
    if origin == .guess, response.finalURL == pageURL || !reaches(response, from: url) {
      note(url, response.status, "leads to a page that was read already")
    } else if !take(response, from: url, origin, on: origin == .guess ? nil : page, link: link) {
      note(url, response.status, Self.refusal(of: response))
      if origin == .anchor, linkedPages.count < limits.pages { linkedPages.append((url, response)) }
    }
    return true
  }

  /// False when a redirect led to an address that was reached before, or to the root.
  private mutating func reaches(_ response: HTTPResponse, from url: String) -> Bool {
    guard !response.redirects.isEmpty else { return true }
    let isRoot = WebAddress(response.finalURL)?.isRoot == true
    return !isRoot && seen.insert(WebAddress.normalized(response.finalURL)).inserted
  }

  private static func refusal(of response: HTTPResponse) -> String {
    let type = ContentType(response.headers["Content-Type"])?.mediaType
    return "not a feed" + (type.map { ", but \($0)" } ?? "")
  }

  /// Adds the response to the found feeds if it is a feed.
  ///
  /// - Parameter page: the page that leads to it.
  private mutating func take(
    _ response: HTTPResponse, from url: String, _ origin: FeedOrigin, on page: WebPage? = nil,
    link: WebPage.FeedLink? = nil
  ) -> Bool {
    guard let feed = response.feed else { return false }
    let address = response.permanentTarget ?? URLParts(url)?.text ?? url
    var trail = [url] + response.permanentTargets
    if let own = feed.feedURL { trail.append(own) }
    seen.insert(WebAddress.normalized(response.finalURL))
    note(url, response.status, "a feed: \(feed.format.rawValue), \(counted(feed.items.count, "item"))")
    guard
      !result.feeds.contains(where: { WebAddress.normalized($0.feedURL) == WebAddress.normalized(address) })
    else { return true }
    var found = FoundFeed(
      feedURL: address, trail: trail, origin: origin,
      otherPage: page.flatMap { $0.url == result.page ? nil : $0.url }, feed: feed, linkTitle: link?.title,
      language: feed.language ?? link?.language)
    found.isMain = mainFeeds.contains(WebAddress.normalized(url))
    result.feeds.append(found)
    return true
  }

  // MARK: Requests

  /// Makes a request; `nil` if the limits forbid it or no response arrived.
  mutating func get(_ url: String, headers: HTTPHeaders = [], kept: Int = FeedLimits().wantedBytes)
    async throws
    -> HTTPResponse?
  {
    try Task.checkCancellation()
    let left = limits.time - (ContinuousClock.now - started)
    guard result.requests < limits.requests, left > Duration.zero else {
      note(
        url, nil,
        left > Duration.zero
          ? "not requested: the limit of \(limits.requests) requests was reached"
          : "not requested: the time limit was reached")
      return nil
    }
    seen.insert(WebAddress.normalized(url))
    do {
      let redirects = limits.requests - result.requests - 1
      let response = try await fetcher.get(
        url, headers: headers, kept: kept, time: left, redirects: redirects)
      result.requests += 1 + response.redirects.count
      if !response.isSuccess {
        note(url, response.status, "HTTP status \(response.status)")
      }
      return response
    } catch {
      if error.kind == .cancelled { throw CancellationError() }
      if error.reachedServer { result.requests += 1 }
      let isPrivate = error.kind == .addressForbidden
      result.needsPrivateAddresses = result.needsPrivateAddresses || isPrivate
      note(url, nil, error.message)
      return nil
    }
  }

  mutating func note(_ url: String, _ status: Int?, _ outcome: String) {
    result.attempts.append(FeedSearchAttempt(url: url, status: status, outcome: outcome))
  }

  /// The first candidate that is really a picture, the best first.
  mutating func picture(for feed: FoundFeed) async throws -> String? {
    if result.feeds.count == 1, [.linkElement, .linkHeader].contains(feed.origin) {
      limits.requests = min(limits.requests, limits.requestsForOneFeed)
    }
    var left = min(limits.pictures, limits.requests - result.requests)
    var candidates = PictureCandidate.list(feed: feed.feed, page: page)
    while left > 0, !candidates.isEmpty {
      let candidate = candidates.removeFirst()
      left -= 1
      guard let response = try await get(candidate.url, headers: ["Range": "bytes=0-65535"], kept: 64 << 10),
        response.isSuccess
      else { continue }
      if candidate.kind == .manifest {
        let icon = WebAppManifest.icon(in: response.body, url: response.finalURL)
        note(candidate.url, response.status, icon.map { "a web app manifest: \($0)" } ?? "no usable icon")
        if let icon { candidates.insert(PictureCandidate(url: icon, kind: .manifestIcon), at: 0) }
        continue
      }
      let picture = PictureFileHeader(response.body)
      note(candidate.url, response.status, picture.map(\.description) ?? "not a picture")
      if let picture, candidate.accepts(picture) { return response.finalURL }
    }
    return nil
  }
}

extension HTTPFailure {
  /// False when no request was sent.
  fileprivate var reachedServer: Bool {
    !isConnectionFailure && ![.tls, .addressForbidden, .invalidRequest, .resources].contains(kind)
  }
}
