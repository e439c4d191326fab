import CloudKitModel
import FeedHealth
import FeedState
import HTTPTransport
import Platform
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
    case cutAfterItems, reset

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
      case .cutAfterItems: .ok(String(FeedText.rss().dropLast(20)))
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

  @Test(
    "a 429 is not asked again at once; a host that may not have been reached is, once, when its sample is done"
  )
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
      let looks = failure == .dns || failure == .connect ? 2 : 1
      #expect(transport.requests.filter { $0.url == url }.count == before + looks)
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

  @Test("without the fields in the schema each check tries the validators, and the feed stays healthy")
  func withoutMemory() async throws {
    let catalog = try await TestCatalog(
      feeds: ["a": url], schema: { $0.replacing(/[ ]+validators(Refused|URL) +[A-Z]+,\n/, with: "") })
    serve(conditional: { .status(412) })
    _ = try await check(catalog)
    for _ in 0..<3 {
      let (result, requests) = try await check(catalog)
      #expect(result.status == .healthy && requests == [true, false])
    }
  }

  /// What a server sends on one day: to a request with validators, and to one without.
  private struct Day {
    enum Reply: Equatable {
      case feed, notModified
      case other(Answer)
    }
    var conditional: Reply
    var whole: Reply

    init(_ random: inout SeededGenerator) {
      conditional = Self.reply(&random, usual: .notModified)
      whole = Self.reply(&random, usual: .feed)
    }

    private static func reply(_ random: inout SeededGenerator, usual: Reply) -> Reply {
      // The beginning of the feed is no failure when no validators were sent.
      let answers = Answer.allCases.filter { $0 != .cutAfterItems }
      return switch Int.random(in: 0..<20, using: &random) {
      case ..<7: usual
      case 7: .feed
      case 8: .notModified
      default: .other(answers[Int.random(in: answers.indices, using: &random)])
      }
    }
  }

  /// What the rules of Documentation/reference/feeds.md#conditional-requests say about a sequence of days.
  private struct Model {
    var hasValidators = false
    var refused: Timestamp?

    /// Whether each request of a check carries validators, and what is judged.
    mutating func check(_ day: Day, at now: Timestamp) -> (requests: [Bool], judged: Day.Reply) {
      guard hasValidators, refused.map({ $0 <= now }) ?? true else {
        record(day.whole)
        return ([false], day.whole)
      }
      if day.conditional == .feed || day.conditional == .notModified {
        refused = nil
        return ([true], day.conditional)
      }
      if day.whole == .feed { refused = refused == nil ? now : now + .seconds(30 * 86_400) }
      record(day.whole)
      return ([true, false], day.whole)
    }

    private mutating func record(_ reply: Day.Reply) {
      switch reply {
      case .feed: hasValidators = true
      // A feed without items, which came without validators.
      case .other(.withoutItems): hasValidators = false
      default: break
      }
    }
  }

  @Test(
    "answers of all kinds in any order: only those without validators count against the feed",
    arguments: 1...8 as ClosedRange<UInt64>)
  func sequences(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try await TestCatalog(feeds: ["a": url])
    var model = Model()
    var failures: Int64 = 0
    for number in 0..<45 {
      let day = Day(&random)
      let text = FeedText.rss(now: clock.now)
      transport.set(url) { request throws(HTTPFailure) in
        switch request.headers["If-None-Match"] == nil ? day.whole : day.conditional {
        case .feed: return .ok(text, ["ETag": "\"\(number)\""])
        case .notModified: return .status(304)
        case .other(let answer): return try answer.response()
        }
      }
      let expected = model.check(day, at: clock.now)
      let (result, requests) = try await check(catalog)
      let state = try #require(try await catalog.metadata("a"))
      let name: Comment = "seed \(seed), day \(number): \(day)"
      // A connection that breaks is tried again at the end of the run.
      #expect(Array(requests.prefix(expected.requests.count)) == expected.requests, name)
      #expect(!requests.dropFirst(expected.requests.count).contains(true), name)
      let counted = (state["totalAttempts"]?.int64 ?? 0) - (state["successfulAttempts"]?.int64 ?? 0)
      if expected.judged == .feed || expected.judged == .notModified && expected.requests == [true] {
        #expect(result.items == 3 || result.notModified, name)
        #expect(counted == failures && state["failureCount"]?.int64 == 0, name)
      } else {
        #expect(result.status != .healthy, name)
      }
      failures = counted
      #expect((state["etag"] != nil) == model.hasValidators, name)
      let refused = (state["validatorsRefused"]?.timestamp, model.refused)
      #expect((refused.0 == nil) == (refused.1 == nil), name)
      // The second request of a check is a little later.
      if let stored = refused.0, let modeled = refused.1 {
        #expect(stored.since(modeled) < .seconds(60), name)
      }
    }
  }
}
