import DemoFeeds
import HostileFeeds
import Testing

@testable import HTTPTransport

/// What browsers and feed readers read although HTTP forbids it.
@Suite("Lenient requests")
struct LenientTransportTests {
  @Test(
    "a body in another coding than declared is read",
    arguments: [
      ("coding-utf8", []), ("coding-aws-chunked", []), ("gzip-two-members", []),
      ("gzip-undeclared", [.wrongCoding]), ("gzip-twice", [.wrongCoding]), ("gzip-damaged", [.wrongCoding]),
      ("length-too-large", [.endedEarly]), ("no-last-chunk", [.endedEarly]), ("status-203", []),
      ("cookie-redirect", []), ("six-redirects", []),
    ] as [(String, Set<HTTPResponse.Flaw>)])
  func read(_ name: String, _ flaws: Set<HTTPResponse.Flaw>) async throws {
    try await withServer(.web) { server, transport in
      let response = try await transport.send(request(server.url(of: name)))
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(text.hasPrefix("<?xml"))
      #expect(text.hasSuffix("</channel></rss>\n"))
      #expect(response.flaws == flaws)
    }
  }

  @Test(
    "a request that is not lenient fails where the server breaks the rules",
    arguments: [
      ("coding-utf8", .unknownCoding), ("gzip-two-members", .extraBytes), ("gzip-damaged", .encoding),
      ("length-too-large", .truncated), ("cookie-redirect", .redirect),
    ] as [(String, HTTPFailure.Kind)])
  func strict(_ name: String, _ kind: HTTPFailure.Kind) async throws {
    try await withServer(.web) { server, transport in
      var strict = request(server.url(of: name))
      strict.isLenient = false
      let request = strict
      let error = await #expect(throws: HTTPFailure.self) { _ = try await transport.send(request) }
      #expect(error?.kind == kind, "\(error?.message ?? "no error")")
    }
  }

  @Test("a body on a connection that stays open is read until the time limit")
  func staysOpen() async throws {
    try await withServer(.web) { server, transport in
      var request = request(server.url(of: "stays-open"))
      request.limits.totalTimeout = .seconds(2)
      let response = try await transport.send(request)
      #expect(String(decoding: response.body, as: UTF8.self).hasSuffix("</channel></rss>\n"))
      #expect(response.flaws == [.timedOut])
    }
  }

  @Test(
    "compressed bytes that are damaged, or neither as declared nor text, stay a failure",
    arguments: ["coding-unreadable", "gzip-wrong-checksum", "gzip-cut"])
  func unreadable(_ name: String) async throws {
    try await withServer(.web) { server, transport in
      let request = request(server.url(of: name))
      let error = await #expect(throws: HTTPFailure.self) { _ = try await transport.send(request) }
      #expect(error?.kind == .encoding)
    }
  }

  @Test("a body over the limit is cut and not refused, also after decompression")
  func cut() async throws {
    try await withServer(
      DemoFeedTable([DemoFeed(slug: "bomb", behavior: .gzipBomb), DemoFeed(slug: "a", behavior: .rss20)])
    ) {
      server, transport in
      var request = request(server.url(of: "a"))
      request.limits.keptBodyBytes = 100
      let response = try await transport.send(request)
      #expect(response.body.count == 100)
      #expect(response.flaws == [.cut])
      request.url = server.url(of: "bomb")
      request.limits.keptBodyBytes = 1 << 20
      let unpacked = try await transport.send(request)
      #expect(unpacked.body.count == 1 << 20)
    }
  }

  @Test("a body of exactly the limit is not cut")
  func notCut() async throws {
    try await withServer(.web) { server, transport in
      var request = request(server.url(of: "status-203"))
      request.limits.maxBodyBytes = try await transport.send(request).body.count
      let whole = try await transport.send(request)
      #expect(whole.flaws.isEmpty)
      request.limits.maxBodyBytes -= 1
      let part = try await transport.send(request)
      #expect(part.flaws == [.cut])
    }
  }

  @Test("more redirects than the limit, a circle and a missing target are different failures")
  func redirects() async throws {
    try await withServer(.web) { server, transport in
      for (name, kind) in [
        ("eleven-redirects", HTTPFailure.Kind.tooManyRedirects), ("location-empty", .redirect),
      ] {
        let request = request(server.url(of: name))
        let error = await #expect(throws: HTTPFailure.self) { _ = try await transport.send(request) }
        #expect(error?.kind == kind, "\(error?.message ?? "no error")")
      }
      let loop = request(server.url(of: "cookie-redirect"))
      let response = try await transport.send(loop)
      #expect(response.redirects.count == 1)
    }
  }

  @Test("a cookie goes back to the host that set it, and to no other one")
  func cookieScope() async throws {
    try await withServer(.web) { server, transport in
      var request = HTTPRequest(url: server.url(of: "cookie-redirect"))
      request.cookies = []
      let first = try await transport.send(request)
      #expect(first.cookies.count == 1)
      request.cookies = first.cookies
      #expect(try await transport.send(request).status == 200)
      request.url = request.url.replacing(".localhost", with: ".other.localhost")
      #expect(try await transport.send(request).status == first.status)
    }
  }

  private func request(_ url: String) -> HTTPRequest {
    var request = HTTPRequest(url: url, limits: HTTPLimits(totalTimeout: .seconds(20), maxRedirects: 10))
    request.isLenient = true
    return request
  }

  private func withServer(
    _ table: DemoFeedTable, _ body: (DemoFeedServer, CurlTransport) async throws -> Void
  ) async throws {
    let server = try await DemoFeedServer.start(table: table, now: 1_800_000_000)
    do {
      try await body(server, try CurlTransport())
    } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }
}
