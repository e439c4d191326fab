import CloudKitModel
import FeedHealth
import FeedState
import HTTPTransport
import Synchronization
import Testing

/// Servers that answer a request with validators otherwise than one without them
/// (Documentation/reference/feeds.md#conditional-requests).
@Suite struct ConditionalRequestTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"
  private let transport = StubTransport()

  /// How a server answers.
  enum Answer: CaseIterable, Sendable {
    case preconditionFailed, serverError, unavailable, forbidden, noContent, nothing, page, withoutItems, cut
    case reset

    func response() throws(HTTPFailure) -> HTTPResponse {
      switch self {
      case .preconditionFailed: .status(412)
      case .serverError: .status(500)
      case .unavailable: .status(503, ["Retry-After": "60"])
      case .forbidden: .status(403)
      case .noContent: .status(204)
      case .nothing: .ok("")
      case .page: .ok("<html><head><title>Error</title></head><body>x</body></html>")
      case .withoutItems: .ok(FeedText.rss(ages: []))
      case .cut: .ok(String(FeedText.rss().prefix(100)))
      case .reset: throw HTTPFailure(.protocol, "reset")
      }
    }
  }

  /// The feed as it is now, with validators.
  private func feed() -> HTTPResponse { .ok(FeedText.rss(now: clock.now), ["ETag": "\"\(clock.now)\""]) }

  private func serve(
    conditional: @escaping @Sendable () throws(HTTPFailure) -> HTTPResponse,
    whole: (@Sendable () throws(HTTPFailure) -> HTTPResponse)? = nil
  ) {
    transport.set(url) { [self] request throws(HTTPFailure) in
      if request.headers["If-None-Match"] != nil { return try conditional() }
      return try whole?() ?? feed()
    }
  }

  /// One check a day, and whether each of its requests carried validators.
  private func check(_ catalog: TestCatalog, after days: Int64 = 1) async throws -> (FeedResult, [Bool]) {
    let before = transport.requests.count
    let report = try await catalog.check(transport, clock) { $0.force = true }
    clock.advance(days * 86_400)
    let requests = transport.requests[before...].map { $0.headers["If-None-Match"] != nil }
    return (try #require(report.feeds.first), requests)
  }

  @Test("such an answer is no failure of the feed, and after the second no validators are sent for 30 days")
  func refused() async throws {
    for answer in Answer.allCases {
      let catalog = try await TestCatalog(feeds: ["a": url])
      serve(conditional: answer.response)
      #expect(try await check(catalog).1 == [false], "\(answer)")
      for _ in 0..<2 {
        let (result, requests) = try await check(catalog)
        #expect(result.status == .healthy && result.items == 3, "\(answer)")
        #expect(requests == [true, false], "\(answer)")
      }
      for _ in 0..<29 {
        let (result, requests) = try await check(catalog)
        #expect(result.status == .healthy && requests == [false], "\(answer)")
      }
      #expect(try await check(catalog).1 == [true, false], "\(answer)")
      let state = try #require(try await catalog.metadata("a"))
      #expect(state["totalAttempts"] == state["successfulAttempts"], "\(answer)")
    }
  }

  @Test("an answer that does not depend on validators is judged once, and says nothing about them")
  func failing() async throws {
    for answer in Answer.allCases {
      let catalog = try await TestCatalog(feeds: ["a": url])
      serve(conditional: answer.response)
      _ = try await check(catalog)
      serve(conditional: answer.response, whole: answer.response)
      let (result, requests) = try await check(catalog)
      #expect(result.status != .healthy && requests.prefix(2) == [true, false], "\(answer)")
      let state = try #require(try await catalog.metadata("a"))
      #expect(state["validatorsRefused"] == nil, "\(answer)")
      #expect((state["totalAttempts"]?.int64 ?? 0) <= 2, "\(answer)")
    }
  }

  @Test("a 304 between two such answers shows that the server knows validators")
  func once() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let failing = Mutex(true)
    serve(conditional: { failing.withLock(\.self) ? .status(500) : .status(304) })
    _ = try await check(catalog)
    for _ in 0..<3 {
      #expect(try await check(catalog).1 == [true, false])
      #expect(try await catalog.metadata("a")?["validatorsRefused"] != nil)
      failing.withLock { $0.toggle() }
      #expect(try await check(catalog).1 == [true])
      #expect(try await catalog.metadata("a")?["validatorsRefused"] == nil)
      failing.withLock { $0.toggle() }
    }
  }

  @Test("a 429 and a host that cannot be reached are not asked again at once")
  func notRepeated() async throws {
    for failure in [HTTPFailure.Kind?.none, .dns, .connect, .tls] {
      let catalog = try await TestCatalog(feeds: ["a": url, "b": "http://b.example/feed"])
      transport.set("http://b.example/feed") { _ in .ok(FeedText.rss()) }
      serve(conditional: { .status(304) })
      _ = try await check(catalog)
      serve(conditional: { () throws(HTTPFailure) in
        if let failure { throw HTTPFailure(failure, "x") }
        return .status(429)
      })
      let before = transport.requests.filter { $0.url == url }.count
      _ = try await check(catalog)
      #expect(transport.requests.filter { $0.url == url }.count == before + 1)
    }
  }

  @Test("a 304 to a request without validators is no document")
  func unasked() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    transport.set(url) { _ in .status(304) }
    let (result, _) = try await check(catalog)
    #expect(result.status == .degraded && result.reasons == [.unexpectedStatus] && !result.notModified)
    #expect(result.detail == "304 although the request had no validators")
  }

  @Test("without the field in the schema each check tries the validators, and the feed stays healthy")
  func withoutMemory() async throws {
    let catalog = try await TestCatalog(
      feeds: ["a": url], schema: { $0.replacing(/[ ]+validatorsRefused +TIMESTAMP,\n/, with: "") })
    serve(conditional: { .status(412) })
    _ = try await check(catalog)
    for _ in 0..<3 {
      let (result, requests) = try await check(catalog)
      #expect(result.status == .healthy && requests == [true, false])
    }
  }
}
