import FeedFetching
import FeedState
import Testing

@testable import CloudKitModel
@testable import FeedHealth
@testable import HTTPTransport

/// What one response says, status by status and flaw by flaw.
@Suite struct ResponseEvaluatorTests {
  private static let url = "http://a.example/feed"

  private func observe(
    _ response: HTTPResponse, from url: String = Self.url, isConditional: Bool = false,
    policy: FetchPolicy = FetchPolicy()
  ) -> FetchObservation {
    var policy = policy
    policy.fullFetchDays = nil
    let request = FeedRequest(
      url: url, validators: FeedValidators(etag: isConditional ? "x" : nil), policy: policy, at: .monday)
    return ResponseEvaluator(feedURL: url, request: request, time: .monday, policy: policy).observe(response)
  }

  @Test("each status without a wall has its meaning (Documentation/reference/feeds.md#status-rules)")
  func statuses() {
    for (status, outcome) in [
      (100, .failed(.unexpectedStatus)), (204, .failed(.unexpectedStatus)), (205, .failed(.unexpectedStatus)),
      (300, .failed(.unexpectedStatus)), (304, .failed(.unexpectedStatus)), (399, .failed(.unexpectedStatus)),
      (400, .failed(.refused)),
      (401, .inconclusive(.accessDenied)), (402, .inconclusive(.accessDenied)),
      (403, .inconclusive(.accessDenied)),
      (404, .failed(.notFound)), (405, .failed(.refused)), (406, .inconclusive(.accessDenied)),
      (407, .inconclusive(.accessDenied)),
      (408, .failed(.refused)), (409, .failed(.refused)), (410, .failed(.gone)), (411, .failed(.refused)),
      (428, .failed(.refused)),
      (429, .inconclusive(.throttled)), (430, .failed(.refused)), (450, .failed(.refused)),
      (451, .inconclusive(.accessDenied)),
      (452, .failed(.refused)), (499, .failed(.refused)), (500, .failed(.serverError)),
      (503, .failed(.serverError)),
      (599, .failed(.serverError)), (600, .failed(.unexpectedStatus)), (998, .failed(.unexpectedStatus)),
      (999, .inconclusive(.accessDenied)),
    ] as [(Int, FetchObservation.Outcome)] {
      #expect(observe(.status(status)).outcome == outcome, "\(status)")
      #expect(observe(.status(status)).httpStatus == status)
    }
    #expect(observe(.status(304), isConditional: true).outcome == .notModified)
  }

  @Test("a document of any successful status is a feed; another document is none, at three statuses")
  func documents() {
    for status in [200, 201, 202, 203, 206, 226, 299] {
      let feed = HTTPResponse(status: status, body: Array(FeedText.rss().utf8), finalURL: Self.url)
      #expect(observe(feed).outcome == .feed, "\(status)")
      let other = HTTPResponse(status: status, body: Array("just words".utf8), finalURL: Self.url)
      #expect(
        observe(other).outcome == .failed([200, 203, 226].contains(status) ? .notAFeed : .unexpectedStatus),
        "\(status)")
      #expect(observe(other).detail == "plain text")
    }
    #expect(
      observe(.ok("<!DOCTYPE html><p>x")).outcome == .failed(.htmlPage)
        && observe(.ok("")).outcome == .failed(.emptyDocument))
  }

  @Test("flaws of a transfer are reported of a feed, and decide about everything else")
  func flaws() {
    func observe(_ text: String, _ flaws: Set<HTTPResponse.Flaw>, status: Int = 200) -> FetchObservation {
      var response = HTTPResponse(status: status, body: Array(text.utf8), finalURL: Self.url)
      response.flaws = flaws
      response.totalTime = .milliseconds(2_500)
      return self.observe(response)
    }
    let feed = FeedText.rss()
    for (flaws, reasons) in [
      ([], []), ([.cut], [.tooLarge]), ([.endedEarly], [.truncated]), ([.wrongCoding], [.damagedEncoding]),
      ([.timedOut], []),
    ]
      as [(Set<HTTPResponse.Flaw>, [HealthReason])]
    {
      #expect(observe(feed, flaws).outcome == .feed && observe(feed, flaws).flaws == reasons)
      #expect((observe(feed, flaws).detail != nil) == flaws.contains(.cut))
    }
    // A document that had to be whole is not.
    let cut = String(feed.dropLast(20))
    #expect(observe(cut, []).outcome == .feed && observe(cut, [], status: 206).outcome != .feed)
    #expect(observe(cut, [.timedOut]).outcome == .failed(.timedOut))
    #expect(observe(feed, [.timedOut, .endedEarly]).outcome == .failed(.timedOut))
    #expect(observe(feed, [.endedEarly], status: 206).outcome == .failed(.truncated))
    #expect(observe("just words", [.endedEarly]).outcome == .failed(.truncated))
    #expect(observe("just words", [.cut]).outcome == .inconclusive(.tooLarge))
    #expect(observe("", [.cut]).outcome == .inconclusive(.tooLarge))
    #expect(
      observe("just words", [.timedOut]).detail
        == "no whole answer within 2.5 seconds; --timeout permits more"
    )
    #expect(
      observe("just words", [.cut]).detail
        == "only the first 10485760 bytes were read; the setting health.maxFeedBytes permits more")
  }

  @Test("how a feed is served: https, compression and validators that are not empty")
  func transport() {
    func details(_ headers: HTTPHeaders, from url: String = Self.url, to final: String = Self.url)
      -> TransportDetails?
    {
      observe(.ok(FeedText.rss(), headers, from: final), from: url).transport
    }
    for coding in ["gzip", "GZIP", "br", "zstd", "deflate"] {
      #expect(details(["Content-Encoding": coding])?.isCompressed == true, "\(coding)")
    }
    #expect(
      details([])?.isCompressed == false && details(["Content-Encoding": "identity"])?.isCompressed == false)
    #expect(
      details(["ETag": "x"])?.hasValidator == true && details(["Last-Modified": "y"])?.hasValidator == true)
    #expect(
      details(["ETag": "", "Last-Modified": ""])?.hasValidator == false && details([])?.hasValidator == false)
    let secure = "https://a.example/feed"
    for (from, to, isHTTPS, isAvailable) in [
      (Self.url, Self.url, false, false), (Self.url, secure, true, true), (secure, secure, true, false),
      (secure, Self.url, false, false),
    ] {
      let found = details([], from: from, to: to)
      #expect(found?.isHTTPS == isHTTPS && found?.httpsAvailable == isAvailable)
    }
  }

  @Test("only a chain of permanent redirects has a target; a podcast's own word comes after it")
  func moves() {
    func moved(_ statuses: [Int], _ text: String = FeedText.rss()) -> String? {
      var response = HTTPResponse.ok(text)
      response.redirects = statuses.enumerated().map {
        .init(status: $1, from: "\($0)", to: "http://r/\($0)")
      }
      #expect(observe(response).redirectedTo == (statuses.isEmpty ? nil : "http://r/\(statuses.count - 1)"))
      return observe(response).movedTo
    }
    #expect(moved([]) == nil && moved([301]) == "http://r/0" && moved([308, 301]) == "http://r/1")
    #expect(moved([301, 302]) == "http://r/0" && moved([302, 301]) == nil)
    func podcast(_ url: String) -> String {
      let name = "xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd'"
      return FeedText.rss().replacing(
        "<channel>", with: "<channel><i:new-feed-url \(name)>\(url)</i:new-feed-url>")
    }
    #expect(
      moved([], podcast("http://n/")) == "http://n/" && moved([301], podcast("http://n/")) == "http://r/0")
    #expect(moved([], podcast(Self.url)) == nil && moved([], podcast("mailto:a@e")) == nil)
  }

  @Test("a page at the feed's address names others when the feed is gone or replaced")
  func candidates() {
    let page = "<!DOCTYPE html><link rel=feed href=/new>"
    for (status, isNamed) in [
      (200, true), (404, true), (410, true), (400, false), (500, false), (403, false), (405, false),
      (411, false),
    ] {
      #expect(
        observe(.status(status, [], page)).candidates == (isNamed ? ["http://a.example/new"] : []),
        "\(status)")
    }
  }

  @Test("a failure has its reason, and what permits more")
  func failures() {
    let evaluator = ResponseEvaluator(
      feedURL: Self.url, request: FeedRequest(url: Self.url, policy: FetchPolicy(), at: .monday),
      time: .monday,
      policy: FetchPolicy())
    for (kind, outcome) in [
      (.dns, .failed(.hostNotFound)),
      (.addressForbidden, .refusedHere(.addressForbidden)),
      (.tooManyRedirects, .refusedHere(.tooManyRedirects)), (.truncated, .failed(.truncated)),
    ] as [(HTTPFailure.Kind, FetchObservation.Outcome)] {
      let observation = evaluator.observe(HTTPFailure(kind, "words"))
      #expect(observation.outcome == outcome && observation.httpStatus == nil)
      #expect(observation.detail?.hasPrefix("words") == true)
    }
    for (step, reason, words) in [
      (.started, .hostNotFound, "no name server answered within 10 seconds"),
      (.resolved, .connectionFailed, "no connection within 10 seconds"),
      (.connected, .tlsFailed, "no TLS connection within 10 seconds"),
      (.ready, .timedOut, "no whole answer within 10 seconds; --timeout permits more"),
      (.answered, .timedOut, "no whole answer within 10 seconds; --timeout permits more"),
    ] as [(ConnectionTrace.Step, HealthReason, String)] {
      var trace = ConnectionTrace(step: step)
      trace.elapsed = .milliseconds(10_004)
      let observation = evaluator.observe(HTTPFailure(.timeout, "words", trace: trace))
      #expect(observation.outcome == .failed(reason) && observation.detail == words)
    }
  }
}
