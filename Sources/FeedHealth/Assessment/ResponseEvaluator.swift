internal import Articles
internal import CloudKitModel
internal import Diagnostics
internal import FeedFetching
internal import FeedParsing
internal import FeedState
internal import HTTPTransport

/// Evaluates the response or failure of one request. The result is a ``FetchObservation``.
struct ResponseEvaluator: Sendable {
  let feedURL: String
  let request: FeedRequest
  let time: Timestamp
  let policy: FetchPolicy
  /// The feed that is requested; `nil` for an address that the catalog has no feed for. It has the feed's state, which is
  /// large: a copy of it here would be one for each request.
  var target: FeedCheckTarget?
  /// How the items of a document are stored; `nil` stores none.
  var articles: ArticleOptions?

  /// What decides, beside its bytes, how a document is read.
  private static func source(of response: HTTPResponse) -> [String?] {
    [response.finalURL, response.headers["Content-Type"]]
  }

  func observe(_ failure: HTTPFailure) -> FetchObservation {
    let outcome: FetchObservation.Outcome
    var detail = failure.message
    switch failure.kind {
    case .addressForbidden:
      outcome = .refusedHere(.addressForbidden)
      detail += "; --allow-private-addresses permits it"
    case .tooManyRedirects:
      outcome = .refusedHere(.tooManyRedirects)
      detail += "; the setting health.maxRedirects permits more"
    // This machine lacks memory or file descriptors, which says nothing about the feed.
    case .resources: outcome = .refusedHere(.brokenProtocol)
    case .timeout:
      outcome = .failed(Self.reason(ofTimeoutAfter: failure.trace.step))
      detail = Self.timeoutDetail(failure.trace)
    default: outcome = .failed(HealthReason(failure.kind))
    }
    var observation = FetchObservation(time: time, outcome: outcome, detail: detail)
    observation.redirectedTo = failure.trace.redirectedTo
    observation.isConditional = request.sentValidator(afterRedirectTo: observation.redirectedTo)
    observation.signature = FailureSignature(failure, of: feedURL)
    observation.network = failure.trace.network
    return observation
  }

  func observe(_ response: HTTPResponse) -> FetchObservation {
    var observation = judge(response)
    // A portal's page arrives at once.
    if !observation.isSuccess, !observation.showsKnownWall, !response.flaws.contains(.timedOut) {
      let page = PageShape(response.body, feedURL: feedURL)
      observation.signature = FailureSignature(page, status: response.status)
      observation.page = page.hash
    }
    observation.network = response.network
    return observation
  }

  private func judge(_ response: HTTPResponse) -> FetchObservation {
    var observation = FetchObservation(time: time, outcome: .notModified)
    observation.redirectedTo = response.redirects.last?.to
    observation.isConditional = request.sentValidator(afterRedirectTo: observation.redirectedTo)
    observation.httpStatus = response.status
    observation.duration = response.totalTime
    observation.directives = CacheDirectives(
      response.headers, status: response.status, at: time)
    observation.movedTo = response.permanentTarget
    observation.transport = transport(of: response)
    if let edge = EdgeError(response) {
      observation.detail = edge.detail
      observation.outcome = .failed(edge.reason)
      return observation
    }
    switch response.status {
    case 304 where observation.isConditional: break
    case 204, 205: observation.outcome = .failed(.unexpectedStatus)
    case 200..<300: read(response, into: &observation)
    default: readRefusal(response, into: &observation)
    }
    return observation
  }

  // MARK: Documents

  private func read(_ response: HTTPResponse, into observation: inout FetchObservation) {
    let isCut = response.flaws.contains(.cut)
    let body = articles.flatMap { options in
      target.map {
        ArticleBody(
          response.body, from: Self.source(of: response), of: $0.metadata, options: options, at: time)
      }
    }
    if let target, let body, let facts = body.facts, response.status != 206, response.flaws.isEmpty {
      observation.outcome = .feed
      observation.itemCount = facts.items
      observation.articles = ArticleDocument(
        repeated: body, facts, of: target.recordName, url: feedURL)
      return
    }
    let feed = parse(response, keepsArticles: body.map { !$0.isStored } ?? false)
    let isWhole = feed.wellFormed && !response.flaws.contains(.endedEarly)
    // Some servers send a whole feed and leave the connection open.
    let mustBeWhole = response.status == 206 || response.flaws.contains(.timedOut)
    guard feed.format != .unknown, feed.wellFormed || feed.recovered, !mustBeWhole || isWhole else {
      return readOther(response, feed, into: &observation)
    }
    observation.outcome = .feed
    if articles == nil, target?.metadata.articlesValidator != nil {
      observation.bodyDigest = ArticleBody.digest(response.body, from: Self.source(of: response))
    }
    let content = FeedContent(feed, at: time)
    observation.content = content
    observation.feedTitle = feed.title
    observation.schedule = PublisherSchedule(
      ttl: feed.ttl, skipHours: feed.skipHours, skipDays: feed.skipDays)
    observation.itemCount = content.itemCount
    observation.flaws = flaws(of: response, feed, content)
    observation.isComplete = feed.isComplete
    let causes = [FeedRule.tooManyItems.code, FeedRule.cutDocument.code]
    let cause = feed.diagnostics.first { causes.contains($0.code) }
    observation.detail = isCut ? Self.cutDetail(policy) : cause?.message
    if let target, let articles, let body {
      observation.articles = ArticleDocument(
        feed, body,
        facts: saysMore(feed, observation.flaws)
          ? nil : DocumentFacts(items: content.itemCount, parsed: time),
        of: target.metadata, url: feedURL, options: articles, at: time)
    }
    if isHTTPSForm(feed.feedURL) { observation.transport?.httpsAvailable = true }
    if let moved = feed.newFeedURL, observation.movedTo == nil, HostName.origin(of: moved) != nil,
      moved != feedURL
    {
      observation.movedTo = moved
    }
  }

  /// Whether a verdict on the document needs more than the feed's state and ``DocumentFacts`` hold.
  private func saysMore(_ feed: ParsedFeed, _ flaws: [HealthReason]) -> Bool {
    !flaws.isEmpty || !feed.isComplete || feed.newFeedURL != nil || isHTTPSForm(feed.feedURL)
  }

  /// A check that stores no articles does not use item summaries, so the parser drops them.
  private func parse(_ response: HTTPResponse, keepsArticles: Bool) -> ParsedFeed {
    var limits = FeedLimits()
    limits.bytes = max(1, policy.maxBodyBytes)
    limits.keepsSummaries = keepsArticles
    limits.keepsArticles = keepsArticles
    return FeedParser.parse(
      response.body, contentType: response.headers["Content-Type"], baseURL: response.finalURL, limits: limits
    )
  }

  private func flaws(of response: HTTPResponse, _ feed: ParsedFeed, _ content: FeedContent) -> [HealthReason]
  {
    var flaws: [HealthReason] = []
    if response.flaws.contains(.cut) { flaws.append(.tooLarge) }
    if response.flaws.contains(.endedEarly) { flaws.append(.truncated) }
    if response.flaws.contains(.wrongCoding) { flaws.append(.damagedEncoding) }
    if feed.isExpired { flaws.append(.ended) }
    if feed.bridgeErrors > 0 { flaws.append(.bridgeError) }
    if feed.diagnostics.contains(where: { $0.code == FeedRule.tooManyItems.code }) { flaws.append(.tooLarge) }
    if content.hasOnlyFutureDates { flaws.append(.futureDates) }
    return flaws
  }

  /// A time-out before the connection stands has reached no host.
  private static func reason(ofTimeoutAfter step: ConnectionTrace.Step) -> HealthReason {
    switch step {
    case .started: .hostNotFound
    case .resolved: .connectionFailed
    case .connected: .tlsFailed
    case .ready, .answered: .timedOut
    }
  }

  private static func timeoutDetail(_ trace: ConnectionTrace) -> String {
    let passed = ReadableDuration.seconds(trace.elapsed)
    return switch trace.step {
    case .started: "no name server answered within \(passed)"
    case .resolved: "no connection within \(passed)"
    case .connected: "no TLS connection within \(passed)"
    case .ready, .answered: "no whole answer within \(passed); --timeout permits more"
    }
  }

  private static func cutDetail(_ policy: FetchPolicy) -> String {
    "only the first \(policy.maxBodyBytes) bytes were read; the setting health.maxFeedBytes permits more"
  }

  /// A successful response that is not a feed.
  private func readOther(
    _ response: HTTPResponse, _ feed: ParsedFeed, into observation: inout FetchObservation
  ) {
    let codes = Set(feed.diagnostics.map(\.code))
    if let wall = InterstitialPage.named(byHeadersOf: response) {
      observation.detail = "by \(wall.name)"
      return observation.outcome = .inconclusive(wall.reason)
    }
    // An empty answer usually means that the generating script failed, not that the feed was removed.
    if codes.contains(FeedRule.empty.code), !response.flaws.contains(.cut) {
      return observation.outcome = .failed(.emptyDocument)
    }
    let page = page(response)
    if let wall = wall(response, page, into: &observation) {
      return observation.outcome = .inconclusive(wall)
    }
    if response.flaws.contains(.cut) {
      observation.detail = Self.cutDetail(policy)
      return observation.outcome = .inconclusive(.tooLarge)
    }
    observation.detail = DocumentKind(response.body)?.words ?? feed.diagnostics.first?.message
    observation.candidates = page.candidates
    switch response.status {
    case 200, 203, 226:
      let isHTML = codes.contains(FeedRule.htmlPage.code)
      observation.outcome = .failed(isHTML ? .htmlPage : .notAFeed)
    default: observation.outcome = .failed(.unexpectedStatus)
    }
    // A truncated document only shows that the transfer was interrupted.
    if response.flaws.contains(.endedEarly) { observation.outcome = .failed(.truncated) }
    if response.flaws.contains(.timedOut) {
      observation.outcome = .failed(.timedOut)
      var trace = ConnectionTrace(step: .answered)
      trace.elapsed = response.totalTime
      observation.detail = Self.timeoutDetail(trace)
    }
  }

  private func page(_ response: HTTPResponse) -> WebPage {
    WebPage(
      response.body, contentType: response.headers["Content-Type"],
      linkHeaders: response.headers.values("Link"), url: response.finalURL)
  }

  private func wall(_ response: HTTPResponse, _ page: WebPage, into observation: inout FetchObservation)
    -> HealthReason?
  {
    observation.pageTitle = page.tags.title
    guard let wall = InterstitialPage.find(in: response, page) else { return nil }
    observation.detail = "by \(wall.name)"
    return wall.reason
  }

  // MARK: Refusals

  private func readRefusal(_ response: HTTPResponse, into observation: inout FetchObservation) {
    let page = page(response)
    if response.status >= 400, let wall = wall(response, page, into: &observation) {
      return observation.outcome = .inconclusive(wall)
    }
    switch response.status {
    case 429: observation.outcome = .inconclusive(.throttled)
    // 999 is what LinkedIn sends to programs.
    case 401, 402, 403, 406, 407, 451, 999: observation.outcome = .inconclusive(.accessDenied)
    case 404: observation.outcome = .failed(.notFound)
    case 410: observation.outcome = .failed(.gone)
    case 400..<500: observation.outcome = .failed(.refused)
    case 500..<600: observation.outcome = .failed(.serverError)
    default:
      if response.status == 304 { observation.detail = "304 although the request had no validators" }
      observation.outcome = .failed(.unexpectedStatus)
    }
    if [404, 410].contains(response.status) { observation.candidates = page.candidates }
  }

  // MARK: How it is served

  /// A feed whose self link is the https form of its own address is also served by https.
  private func isHTTPSForm(_ selfURL: String?) -> Bool {
    guard let selfURL, feedURL.hasPrefix("http://"), selfURL.hasPrefix("https://") else { return false }
    return selfURL.dropFirst("https://".count) == feedURL.dropFirst("http://".count)
  }

  private func transport(of response: HTTPResponse) -> TransportDetails {
    let coding = response.headers["Content-Encoding"]?.lowercased()
    let isHTTPS = response.finalURL.hasPrefix("https://")
    return TransportDetails(
      isHTTPS: isHTTPS,
      isCompressed: ["gzip", "br", "zstd", "deflate"].contains { coding?.contains($0) == true },
      etag: Self.validator("ETag", response), lastModified: Self.validator("Last-Modified", response),
      httpsAvailable: isHTTPS && !feedURL.hasPrefix("https://"))
  }

  /// `nil` for an empty one, which identifies nothing.
  private static func validator(_ name: String, _ response: HTTPResponse) -> String? {
    response.headers[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension HealthReason {
  /// Why a response did not arrive. Endless headers and framing are protocol errors.
  init(_ kind: HTTPFailure.Kind) {
    self =
      switch kind {
      case .invalidRequest: .invalidURL
      case .dns: .hostNotFound
      case .connect: .connectionFailed
      case .tls: .tlsFailed
      case .timeout: .timedOut
      case .addressForbidden: .addressForbidden
      case .redirect: .badRedirect
      case .tooManyRedirects: .tooManyRedirects
      case .protocol, .cancelled, .resources, .tooLarge, .proxy: .brokenProtocol
      case .truncated: .truncated
      case .encoding, .unknownCoding, .extraBytes: .damagedEncoding
      }
  }
}
