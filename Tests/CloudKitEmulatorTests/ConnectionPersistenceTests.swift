import CloudKitEmulator
import Foundation
import RawConnections
import Testing

/// A connection ends when the version and the options of a request say so (RFC 9112, section 9.3).
@Suite struct ConnectionPersistenceTests {
  private static func request(_ version: String, _ headers: String = "") -> String {
    "GET /database/1/x HTTP/\(version)\r\nHost: 127.0.0.1\r\n\(headers)\r\n"
  }

  /// Runs `body` with a server that would leave idle connections open for longer than any test runs.
  private func served(_ body: (EmulatorServer) async throws -> Void) async throws {
    let fixture = try await Fixture { $0.listening.idleTimeout = .seconds(3600) }
    let server = try await EmulatorServer(fixture.configuration, store: fixture.store)
    try await body(server)
    await server.stop()
  }

  static let last = [
    request("1.0"), "GET /database/1/x HTTP/1.0\r\n\r\n", request("1.0", "Connection: close\r\n"),
    request("1.0", "Connection: TE\r\n"), request("1.0", "Connection: keep-alive, close\r\n"),
    request("1.1", "Connection: close\r\n"), request("1.1", "Connection: Close\r\n"),
    request("1.1", "Connection: TE, close\r\n"), request("1.1", "Connection: TE\r\nConnection: close\r\n"),
    "POST /database/1/x HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}",
  ]

  @Test(
    "the connection is closed after one complete reply, which says so", .timeLimit(.minutes(5)),
    arguments: last)
  func closes(request: String) async throws {
    try await served { server in
      // Returns when the server has closed.
      let answer = try await RawConnection(port: server.port).drip(after: request, "")
      #expect(answer.hasPrefix("HTTP/1.1 404") && answer.hasSuffix("}"), "\(answer)")
      #expect(answer.matches(of: #/(?i)connection: close\r\n/#).count == 1, "\(answer)")
      #expect(!answer.lowercased().contains("keep-alive"))
    }
  }

  @Test(
    "a client of HTTP/1.0 keeps its connection if it asks for it, and the reply says so",
    .timeLimit(.minutes(5)))
  func keepAlive() async throws {
    try await served { server in
      let connection = try RawConnection(port: server.port)
      for option in ["keep-alive", "Keep-Alive", "TE, keep-alive"] {
        let answer = await connection.answer(to: Self.request("1.0", "Connection: \(option)\r\n"))
        #expect(answer.hasPrefix("HTTP/1.1 404"), "\(option)")
        #expect(answer.contains(#/(?i)\r\nconnection: keep-alive\r\n/#), "\(answer)")
      }
      #expect(
        await connection.drip(after: Self.request("1.0"), "").contains(#/(?i)\r\nconnection: close\r\n/#))
    }
  }

  @Test("a client of HTTP/1.1 keeps its connection without asking", .timeLimit(.minutes(5)))
  func usual() async throws {
    try await served { server in
      let connection = try RawConnection(port: server.port)
      for headers in ["", "Connection: keep-alive\r\n", "Connection: TE\r\n"] {
        let answer = await connection.answer(to: Self.request("1.1", headers))
        #expect(answer.hasPrefix("HTTP/1.1 404") && !answer.contains(#/(?i)\r\nconnection:/#), "\(answer)")
      }
    }
  }

  @Test(
    "a reply that must not have content has none, so the next reply on the connection is found",
    .timeLimit(.minutes(5)), arguments: ["HEAD", "204", "304", "200"])
  func content(_ kind: String) async throws {
    let fixture = try await Fixture {
      if kind != "HEAD" { try $0.set(.fault, "status,status=\(kind),body=text,count=1") }
    }
    let server = try await EmulatorServer(fixture.configuration, store: fixture.store)
    let first = kind == "HEAD" ? Self.request("1.1").replacing("GET", with: "HEAD") : Self.request("1.1")
    let answer = try await RawConnection(port: server.port).drip(after: first + Self.request("1.0"), "")
    let heads = answer.matches(of: #/HTTP\/1.1 [0-9]{3}/#)
    try #require(heads.count == 2, "\(answer)")
    let content = answer[..<heads[1].range.lowerBound].components(separatedBy: "\r\n\r\n").last
    #expect(content == (kind == "200" ? "text" : ""), "\(answer)")
    if kind == "HEAD" { #expect(answer.contains(#/(?i)content-length: [1-9][0-9]*\r\n/#), "\(answer)") }
    if kind == "204" {
      #expect(!answer[..<heads[1].range.lowerBound].lowercased().contains("content-length"), "\(answer)")
    }
    await server.stop()
  }

  @Test("what a client sends after its last request is not answered", .timeLimit(.minutes(5)))
  func ahead() async throws {
    try await served { server in
      let requests = Self.request("1.1") + Self.request("1.0") + Self.request("1.1") + "POST / HTTP/1.1\r\n"
      let answer = try await RawConnection(port: server.port).drip(after: requests, "")
      #expect(answer.matches(of: #/HTTP\/1.1 404/#).count == 2, "\(answer)")
      #expect(answer.matches(of: #/(?i)\r\nconnection: close\r\n/#).count == 1)
    }
  }

  @Test("a client of HTTP/1.0 gets no interim reply (RFC 9110, section 10.1.1)", .timeLimit(.minutes(5)))
  func expectation() async throws {
    try await served { server in
      let answer = try await RawConnection(port: server.port).drip(
        after: "POST /assets/upload/x HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody", "")
      #expect(answer.hasPrefix("HTTP/1.1 404"), "\(answer)")
    }
  }
}
