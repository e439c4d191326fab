import DemoFeeds
import HTTPTransport
import HostileFeeds
import Testing

@Suite("Demo behaviors")
struct DemoBehaviorTests {
  @Test(
    "each ordinary behavior answers with its status and its kind of body",
    arguments: [
      (DemoBehavior.rss20, 200, "<rss"), (.rss10, 200, "<rdf:RDF"), (.atom, 200, "<feed"),
      (.jsonFeed, 200, "jsonfeed.org/version/1.1"), (.gzip, 200, "<rss"), (.movedPermanently, 301, ""),
      (.notFound, 404, "<html>"), (.gone, 410, "<html>"), (.serverError, 500, "<html>"),
      (.malformed, 200, "Smith & Sons"), (.htmlPage, 200, "rel=\"alternate\""), (.slow, 200, "<rss"),
      (.stale, 200, "<rss"), (.empty, 200, "<channel>"), (.rateLimited, 429, "later"),
      (.unavailable, 503, "later"), (.softNotFound, 200, "not found"), (.botWall, 403, "Checking"),
      (.redirectToFile, 302, ""), (.redirectLoop, 302, ""),
    ])
  func answers(_ behavior: DemoBehavior, _ status: Int, _ text: String) async throws {
    try await withServer { server in
      let response = try await CurlTransport().send(HTTPRequest(url: server.url(of: behavior)))
      #expect(response.status == status)
      #expect(String(decoding: response.body, as: UTF8.self).contains(text) || text.isEmpty)
    }
  }

  @Test("the feed that an HTML page links to exists")
  func linkedFeed() async throws {
    try await withServer { server in
      let url = server.url(of: .htmlPage).replacing("feed.xml", with: "real.xml")
      let response = try await CurlTransport().send(HTTPRequest(url: url))
      #expect(response.headers["Content-Type"] == "application/atom+xml")
    }
  }

  @Test("a feed in another encoding is declared as UTF-8", arguments: [DemoBehavior.wrongEncoding])
  func wrongEncoding(_ behavior: DemoBehavior) async throws {
    try await withServer { server in
      let response = try await CurlTransport().send(HTTPRequest(url: server.url(of: behavior)))
      #expect(response.headers["Content-Type"]?.contains("utf-8") == true)
      #expect(String(validating: response.body, as: UTF8.self) == nil)
    }
  }

  @Test("a busy server says when to come back", arguments: [DemoBehavior.rateLimited, .unavailable])
  func retryAfter(_ behavior: DemoBehavior) async throws {
    try await withServer { server in
      let response = try await CurlTransport().send(HTTPRequest(url: server.url(of: behavior)))
      #expect(response.headers["Retry-After"] == "7200")
    }
  }

  @Test("the slow feed waits before it answers, and a stopped server does not answer")
  func slowAndStopped() async throws {
    let server = try await DemoFeedServer.start(options: .init(now: 0, slowDelay: .milliseconds(120)))
    let url = server.url(of: .slow)
    let response = try await CurlTransport().send(HTTPRequest(url: url))
    #expect(response.totalTime >= .milliseconds(120))
    try await server.stop()
    let error = await #expect(throws: HTTPFailure.self) {
      _ = try await CurlTransport().send(HTTPRequest(url: url))
    }
    #expect(error?.kind == .connect)
  }

  private func withServer(_ body: (DemoFeedServer) async throws -> Void) async throws {
    let server = try await DemoFeedServer.start(
      options: .init(now: 1_800_000_000, slowDelay: .milliseconds(20)))
    do {
      try await body(server)
    } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }
}
