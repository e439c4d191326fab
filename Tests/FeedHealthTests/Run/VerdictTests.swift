import CloudKitModel
import FeedHealth
import FeedState
import HTTPTransport
import Testing

@Suite struct VerdictTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"

  private func firstCheck(_ answer: @escaping StubTransport.Answer) async throws -> FeedResult {
    let catalog = try await TestCatalog(feeds: ["a": url, "b": "http://b.example/feed"])
    let transport = StubTransport([
      url: answer, "http://b.example/feed": { _ in .ok(FeedText.rss()) },
      "http://a.example/real.xml": { _ in .ok(FeedText.rss()) },
    ])
    let report = try await catalog.check(transport, clock)
    return try #require(report.feeds.first { $0.recordName == "a" })
  }

  @Test("a well-formed, fresh feed is healthy without reasons")
  func healthy() async throws {
    let result = try await firstCheck { _ in .ok(FeedText.rss()) }
    #expect(result.status == .healthy)
    #expect(result.reasons.isEmpty)
    #expect(result.items == 3)
    #expect(result.uptimePercentage == 100)
  }

  @Test(
    "one failure degrades a feed and says how it failed",
    arguments: [
      (404, HealthReason.notFound), (500, .serverError), (403, .accessDenied), (429, .throttled),
      (204, .unexpectedStatus),
    ])
  func oneFailure(status: Int, reason: HealthReason) async throws {
    let result = try await firstCheck { _ in .status(status) }
    #expect(result.status == .degraded)
    #expect(result.reasons == [reason])
    #expect(result.httpStatus == status)
  }

  @Test(
    "what kept an answer from coming has its own code",
    arguments: [
      (HTTPFailure.Kind.dns, HealthReason.hostNotFound), (.timeout, .timedOut), (.tls, .tlsFailed),
      (.tooLarge, .brokenProtocol), (.redirect, .badRedirect), (.truncated, .truncated),
    ])
  func noAnswer(kind: HTTPFailure.Kind, reason: HealthReason) async throws {
    let result = try await firstCheck { _ throws(HTTPFailure) in throw HTTPFailure(kind, "x") }
    #expect(result.reasons == [reason])
    #expect(result.status == .degraded)
    #expect(result.httpStatus == nil)
  }

  @Test("410 is down at once")
  func gone() async throws {
    let result = try await firstCheck { _ in .status(410) }
    #expect(result.status == .down)
    #expect(result.reasons == [.gone])
  }

  @Test("a web page is down, and its feed link is suggested")
  func page() async throws {
    let html = """
      <!DOCTYPE html><html><head><title>x</title>
      <link rel="alternate" type="application/rss+xml" href="/real.xml"></head><body>hi</body></html>
      """
    let result = try await firstCheck { _ in .ok(html, ["Content-Type": "text/html"]) }
    #expect(result.status == .down)
    #expect(result.reasons == [.htmlPage])
    #expect(result.suggestedURL == "http://a.example/real.xml")
  }

  @Test("a challenge page only degrades: it says nothing about the feed")
  func botWall() async throws {
    let html = "<html><head><title>Just a moment...</title></head><body></body></html>"
    let result = try await firstCheck { _ in .ok(html, ["Content-Type": "text/html"]) }
    #expect(result.status == .degraded)
    #expect(result.reasons == [.botWall])
  }

  @Test(
    "documents with faults are degraded by them",
    arguments: [
      (FeedText.rss().replacing("<title>A</title>", with: "<title>A & B</title>"), HealthReason.illFormed),
      (FeedText.rss(ages: []), .noItems), (FeedText.rss(ages: [90 * 86_400, 91 * 86_400]), .stale),
      (FeedText.rss(ages: [60, 60]), .itemIdentity),
    ])
  func documents(text: String, reason: HealthReason) async throws {
    let result = try await firstCheck { _ in .ok(text) }
    #expect(result.status == .degraded)
    #expect(result.reasons == [reason])
  }

  @Test("a slowly publishing feed is not stale before five of its gaps have passed")
  func slowPublisher() async throws {
    let day: Int64 = 86_400
    let result = try await firstCheck { _ in .ok(FeedText.rss(ages: [60 * day, 90 * day, 120 * day])) }
    #expect(result.status == .healthy)
  }

  @Test("a slow answer is degraded")
  func slow() async throws {
    let result = try await firstCheck { _ in
      var response = HTTPResponse.ok(FeedText.rss())
      response.totalTime = .seconds(11)
      return response
    }
    #expect(result.reasons == [.slow])
  }

  @Test("a temporary redirect to https shows that https is available")
  func https() async throws {
    let result = try await firstCheck { request in
      var response = HTTPResponse.ok(FeedText.rss(), from: "https://a.example/feed")
      response.redirects = [.init(status: 302, from: request.url, to: response.finalURL)]
      return response
    }
    #expect(result.reasons == [.httpsAvailable])
  }
}
