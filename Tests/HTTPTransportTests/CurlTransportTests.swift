import DemoFeeds
import HTTPTransport
import HostileFeeds
import Testing

@Suite("libcurl transport")
struct CurlTransportTests {
  @Test("a response has its status, headers, body, version and peer")
  func plainResponse() async throws {
    try await withServer { server, transport in
      let response = try await transport.send(HTTPRequest(url: server.url(of: .rss20)))
      #expect(response.status == 200)
      #expect(response.headers["content-TYPE"] == "application/rss+xml")
      #expect(response.body.starts(with: "<?xml".utf8))
      #expect(response.remoteAddress == "127.0.0.1")
      #expect(response.redirects.isEmpty)
    }
  }

  @Test("a request's headers are sent: a known entity tag gets a 304")
  func conditional() async throws {
    try await withServer { server, transport in
      let first = try await transport.send(HTTPRequest(url: server.url(of: .atom)))
      let etag = try #require(first.headers["ETag"])
      let second = try await transport.send(
        HTTPRequest(url: server.url(of: .atom), headers: ["If-None-Match": etag]))
      #expect(second.status == 304)
      #expect(second.body.isEmpty)
    }
  }

  @Test("a compressed body is decoded only when the request accepts compression")
  func compression() async throws {
    try await withServer { server, transport in
      let decoded = try await transport.send(HTTPRequest(url: server.url(of: .gzip)))
      #expect(decoded.body.starts(with: "<?xml".utf8))
      #expect(decoded.headers["Content-Encoding"] == "gzip")
      let raw = try await transport.send(HTTPRequest(url: server.url(of: .gzip), acceptCompressed: false))
      #expect(raw.body.starts(with: [0x1F, 0x8B]))
    }
  }

  @Test("a redirect is followed and recorded, or returned when redirects are not allowed")
  func redirects() async throws {
    try await withServer { server, transport in
      let url = server.url(of: .movedPermanently)
      let followed = try await transport.send(HTTPRequest(url: url, limits: HTTPLimits(maxRedirects: 5)))
      #expect(followed.status == 200)
      #expect(followed.redirects.map(\.status) == [301])
      #expect(followed.redirects.first?.from == url)
      #expect(followed.redirects.first?.to == followed.finalURL)
      #expect(followed.finalURL.hasSuffix("/moved.xml"))
      let kept = try await transport.send(HTTPRequest(url: url))
      #expect(kept.status == 301)
    }
  }

  @Test(
    "each kind of broken response has its failure kind, soon and in little memory",
    arguments: [
      (DemoBehavior.truncatedBody, HTTPFailure.Kind.truncated), (.endlessBody, .tooLarge),
      (.slowDrip, .timeout),
      (.redirectLoop, .redirect), (.redirectToFile, .redirect), (.gzipBomb, .tooLarge), (.notGzip, .encoding),
      (.reset, .protocol), (.hang, .timeout), (.endlessHeaders, .tooLarge), (.notHTTP, .protocol),
      (.cutHeaders, .truncated), (.longHeader, .tooLarge), (.gzipAndMore, .extraBytes),
      (.longStatus, .tooLarge),
    ])
  func hostile(_ behavior: DemoBehavior, _ kind: HTTPFailure.Kind) async throws {
    try await withServer { server, transport in
      let limits = HTTPLimits(
        totalTimeout: kind == .timeout ? .milliseconds(300) : .seconds(20), maxRedirects: 5,
        maxBodyBytes: 1 << 20)
      let error = await #expect(throws: HTTPFailure.self) {
        _ = try await transport.send(HTTPRequest(url: server.url(of: behavior), limits: limits))
      }
      #expect(error?.kind == kind, "\(error?.message ?? "no error")")
    }
  }

  @Test("only the wanted first bytes of a body are kept, and all bytes count")
  func keptBody() async throws {
    try await withServer { server, transport in
      let whole = try await transport.send(HTTPRequest(url: server.url(of: .rss20))).body
      var limits = HTTPLimits(maxBodyBytes: whole.count)
      limits.keptBodyBytes = 100
      let url = server.url(of: .rss20)
      let part = try await transport.send(HTTPRequest(url: url, limits: limits)).body
      #expect(part == Array(whole.prefix(100)))
      limits.maxBodyBytes -= 1
      let request = HTTPRequest(url: url, limits: limits)
      let error = await #expect(throws: HTTPFailure.self) { _ = try await transport.send(request) }
      #expect(error?.kind == .tooLarge)
    }
  }

  @Test(
    "a body with far more framing than content ends the transfer before its timeout and size limit",
    arguments: [DemoBehavior.tinyChunks, .endlessChunkExtension, .emptyCoding])
  func framing(_ behavior: DemoBehavior) async throws {
    try await withServer { server, transport in
      let error = await #expect(throws: HTTPFailure.self) {
        _ = try await transport.send(HTTPRequest(url: server.url(of: behavior)))
      }
      #expect(error?.kind == .tooLarge)
      #expect(error?.message.contains("bytes were sent for") == true, "\(error?.message ?? "no error")")
    }
  }

  @Test("a loopback peer is refused when only public addresses are allowed, also on an open connection")
  func addressPolicy() async throws {
    try await withServer { server, transport in
      let url = server.baseURL + "/rss20/feed.xml"
      for _ in 0..<2 {
        let error = await #expect(throws: HTTPFailure.self) {
          _ = try await transport.send(HTTPRequest(url: url, addressPolicy: .publicOnly))
        }
        #expect(error?.kind == .addressForbidden)
        // Leaves a connection open that the second round could reuse.
        _ = try await transport.send(HTTPRequest(url: url))
      }
    }
  }

  @Test(
    "unusual spellings of a forbidden address are refused",
    arguments: ["2130706433", "0x7f.1", "127.1", "[::1]"])
  func spellings(_ host: String) async throws {
    try await withServer { server, transport in
      let request = HTTPRequest(
        url: "http://\(host):\(server.port)/rss20/feed.xml", addressPolicy: .publicOnly)
      let error = await #expect(throws: HTTPFailure.self) { _ = try await transport.send(request) }
      #expect(error?.kind == .addressForbidden)
    }
  }

  @Test(
    "a closed port is a connection failure, an invalid URL an invalid request",
    arguments: [
      ("http://127.0.0.1:1/", HTTPFailure.Kind.connect), ("file:///etc/hostname", .invalidRequest),
      ("http://", .invalidRequest), ("feed.xml", .invalidRequest), ("http://a\r\nb/", .invalidRequest),
      ("api.example?ckAPIToken=secret", .invalidRequest),
    ])
  func unreachable(_ url: String, _ kind: HTTPFailure.Kind) async throws {
    let transport = try CurlTransport()
    let error = await #expect(throws: HTTPFailure.self) {
      _ = try await transport.send(HTTPRequest(url: url))
    }
    #expect(error?.kind == kind)
    #expect(error?.message.contains("secret") == false)
  }

  @Test("a server that does not speak TLS is a TLS failure")
  func tls() async throws {
    try await withServer { server, transport in
      let url = server.baseURL.replacing("http:", with: "https:")
      let error = await #expect(throws: HTTPFailure.self) {
        _ = try await transport.send(HTTPRequest(url: url))
      }
      #expect(error?.kind == .tls)
    }
  }

  @Test("a body is sent unchanged, even an empty one", arguments: [0, 3, 100_000])
  func requestBody(_ count: Int) async throws {
    try await withServer { server, transport in
      let request = HTTPRequest(
        "POST", url: server.url(of: .rss20), body: [UInt8](repeating: 0, count: count))
      let sent = try await transport.send(request)
      #expect(sent.status == 200)
      // The connection is still in step: a wrong length would have spoilt it.
      let next = try await transport.send(HTTPRequest(url: server.url(of: .rss20)))
      #expect(next.status == 200)
    }
  }

  @Test(
    "a header that would inject another line is refused",
    arguments: [
      ("X-A", "b\r\nX-C: d"), ("X-A", "b\nX-C: d"), ("X-A", "b\rX-C: d"), ("X-A", "b\0"),
      ("X-A: b\r\nX-C", "d"),
      ("X A", "b"), ("X-A:", "b"), ("X-A\u{7F}", "b"), ("", "b"),
    ])
  func headerInjection(_ name: String, _ value: String) async throws {
    let transport = try CurlTransport()
    let request = HTTPRequest(url: "http://127.0.0.1:1/", headers: [name: value])
    let error = await #expect(throws: HTTPFailure.self) { _ = try await transport.send(request) }
    #expect(error?.kind == .invalidRequest)
  }

  @Test("canceling the task ends its transfer long before its timeout", .timeLimit(.minutes(5)))
  func cancellation() async throws {
    try await withServer { server, transport in
      let request = HTTPRequest(url: server.url(of: .hang), limits: HTTPLimits(totalTimeout: .seconds(3600)))
      let task = Task { try await transport.send(request) }
      task.cancel()
      let error = await #expect(throws: HTTPFailure.self) { _ = try await task.value }
      #expect(error?.kind == .cancelled)
    }
  }

  @Test("more transfers than the limit all finish")
  func queueing() async throws {
    try await withServer(CurlTransport.Configuration(maxConcurrentTransfers: 4)) { server, transport in
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<200 {
          group.addTask {
            try await transport.send(HTTPRequest(url: server.url(of: "feed-\(number)"))).status
          }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses == Array(repeating: 200, count: 200))
    }
  }

  @Test("no more transfers run at once than the configuration allows")
  func concurrentTransfers() async throws {
    let server = try await DemoFeedServer.start(
      now: 1_800_000_000, slowDelay: .milliseconds(200))
    let transport = try CurlTransport(CurlTransport.Configuration(maxConcurrentTransfers: 1))
    let start = ContinuousClock.now
    let answered = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<3 {
        group.addTask { (try? await transport.send(HTTPRequest(url: server.url(of: .slow))))?.status == 200 }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    let elapsed = ContinuousClock.now - start
    try await server.stop()
    #expect(answered == 3 && elapsed >= .milliseconds(600), "\(answered) answers in \(elapsed)")
  }

  private func withServer(
    _ configuration: CurlTransport.Configuration = .init(),
    _ body: (DemoFeedServer, CurlTransport) async throws -> Void
  ) async throws {
    let server = try await DemoFeedServer.start(now: 1_800_000_000)
    do {
      try await body(server, try CurlTransport(configuration))
    } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }
}
