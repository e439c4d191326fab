internal import CloudKitModel
internal import Diagnostics
internal import FeedParsing
internal import HTTPTransport

/// Turns the response or failure of one request into an ``Observation``.
final class ResponseEvaluator: Sendable {
  let feedURL: String
  let request: FeedRequest
  let time: Timestamp

  init(feedURL: String, request: FeedRequest, time: Timestamp) {
    self.feedURL = feedURL
    self.request = request
    self.time = time
  }

  func result(of response: HTTPResponse) -> FetchResult { FetchResult(observe(response)) }

  func observe(_ failure: HTTPFailure) -> Observation {
    Observation(time: time, outcome: .failed(HealthReason(failure.kind)), detail: failure.message)
  }

  func observe(_ response: HTTPResponse) -> Observation {
    var observation = Observation(time: time, outcome: .notModified)
    observation.httpStatus = response.status
    observation.duration = response.totalTime
    observation.directives = CacheDirectives(response.headers, at: time)
    observation.movedTo = Self.permanentTarget(of: response.redirects)
    observation.transport = transport(of: response)
    switch response.status {
    case 200, 226: read(response, into: &observation)
    case 304 where request.isConditional: break
    case 429: observation.outcome = .throttled
    default: observation.outcome = .failed(refusal(response))
    }
    return observation
  }

  /// A check does not use item summaries, so the parser drops them.
  private static let limits = {
    var limits = FeedLimits()
    limits.keepsSummaries = false
    return limits
  }()

  private func read(_ response: HTTPResponse, into observation: inout Observation) {
    // An empty 200 usually means that the generating script failed, not that the feed was removed.
    guard !response.body.isEmpty else { return observation.outcome = .failed(.emptyDocument) }
    let contentType = response.headers["Content-Type"]
    let feed = FeedParser.parse(
      response.body, contentType: contentType, baseURL: response.finalURL, limits: Self.limits)
    guard feed.format != .unknown, feed.wellFormed || feed.recovered else {
      let isHTML = feed.diagnostics.contains { $0.code == FeedRule.htmlPage.code }
      let isWall = isHTML && BotWall.isPresent(in: response)
      observation.outcome = .failed(isWall ? .botWall : isHTML ? .htmlPage : .notAFeed)
      observation.detail = feed.diagnostics.first?.message
      if isHTML {
        observation.discoveredURL =
          FeedAutodiscovery.feedURLs(in: response.body, baseURL: response.finalURL).first
      }
      return
    }
    observation.outcome = .feed
    observation.content = FeedContent(feed, at: time)
    if let own = feed.feedURL { noteHTTPS(own, in: &observation) }
  }

  /// A feed whose self link is the https form of its own address is also served by https.
  private func noteHTTPS(_ selfURL: String, in observation: inout Observation) {
    guard feedURL.hasPrefix("http://"), selfURL.hasPrefix("https://") else { return }
    if selfURL.dropFirst("https://".count) == feedURL.dropFirst("http://".count) {
      observation.transport?.httpsAvailable = true
    }
  }

  private func transport(of response: HTTPResponse) -> TransportFacts {
    let coding = response.headers["Content-Encoding"]?.lowercased() ?? "identity"
    let isHTTPS = response.finalURL.hasPrefix("https://")
    return TransportFacts(
      isHTTPS: isHTTPS, isCompressed: coding != "identity" && !coding.isEmpty,
      etag: response.headers["ETag"], lastModified: response.headers["Last-Modified"],
      wasConditional: request.isConditional, httpsAvailable: isHTTPS && !feedURL.hasPrefix("https://"))
  }

  /// The last address reached through permanent redirects alone. A temporary redirect ends the chain.
  private static func permanentTarget(of redirects: [HTTPResponse.Redirect]) -> String? {
    redirects.prefix { $0.isPermanent }.last?.to
  }

  private func refusal(_ response: HTTPResponse) -> HealthReason {
    if [403, 503].contains(response.status), BotWall.isPresent(in: response) { return .botWall }
    return switch response.status {
    case 404: .notFound
    case 410: .gone
    case 401, 402, 403, 407, 451: .accessDenied
    case 400..<500: .refused
    case 500..<600: .serverError
    default: .unexpectedStatus
    }
  }
}

extension HealthReason {
  init(_ kind: HTTPFailure.Kind) {
    self =
      switch kind {
      case .invalidRequest: .invalidURL
      case .dns: .hostNotFound
      case .connect: .connectionFailed
      case .tls: .tlsFailed
      case .timeout: .timedOut
      case .tooLarge: .tooLarge
      case .addressForbidden: .addressForbidden
      case .redirect, .tooManyRedirects: .badRedirect
      case .protocol, .cancelled, .resources: .brokenProtocol
      case .truncated: .truncated
      case .encoding, .unknownCoding, .extraBytes: .damagedEncoding
      }
  }
}
