import CloudKitModel
import LocalContainer
import RawConnections
import Testing

@testable import CloudKitEmulator
@testable import WebConsole

/// The console over HTTP, for what a browser would not send.
@Suite struct ConsoleServerTests {
  private func served(
    _ limits: LimitedHTTPServer.Limits = ConsoleServer.limits, of container: LocalContainer? = nil,
    _ body: (_ console: LocalConsole, _ port: Int) async throws -> Void
  ) async throws {
    let container = try container ?? LocalContainer.open(.memory)
    let console = LocalConsole(
      store: container.store,
      options: .init(
        environment: container.identity.environment, now: { Timestamp(milliseconds: 1_772_452_800_000) }))
    let server = try await ConsoleServer(console, port: 0, limits: limits)
    let port = try #require(server.url.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { Int($0.1) })
    #expect(server.url.hasSuffix(console.path))
    try await body(console, port)
    await server.stop()
  }

  /// Sends a request, and expects an answer with this status.
  private func expect(_ status: Int, _ lines: [String], _ port: Int, body: String = "") async throws {
    let text = (lines + ["", body]).joined(separator: "\r\n")
    let answer = try await RawConnection(port: port).beginning(after: text)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(lines[0])")
  }

  @Test("a target that is a whole address counts as its host says, whatever the Host header says")
  func absoluteTargets() async throws {
    try await served { console, port in
      let ours = "127.0.0.1:\(port)"
      for host in ["evil.com", "evil.com:\(port)", "\(ours)@evil.com", "127.0.0.1"] {
        try await expect(421, ["GET http://\(host)\(console.path) HTTP/1.1", "Host: \(ours)"], port)
      }
      try await expect(421, ["GET HTTPS://\(ours)\(console.path) HTTP/1.1", "Host: \(ours)"], port)
      try await expect(421, ["GET ftp://\(ours)\(console.path) HTTP/1.1", "Host: \(ours)"], port)
      try await expect(200, ["GET HTTP://\(ours)\(console.path) HTTP/1.1", "Host: \(ours)"], port)
      try await expect(403, ["GET http://\(ours)/ HTTP/1.1", "Host: \(ours)"], port)
    }
  }

  @Test("no body is read for a client that may not use the console")
  func bodies() async throws {
    try await served { console, port in
      let form = [
        "Host: 127.0.0.1:\(port)", "Content-Type: application/x-www-form-urlencoded",
        "Content-Length: 100000",
      ]
      try await expect(403, ["POST /reset HTTP/1.1"] + form, port)
      try await expect(403, ["POST \(console.path)reset HTTP/1.1"] + form, port)
      let cookie = "Cookie: \(console.callers.cookie.prefix { $0 != ";" })"
      try await expect(
        413,
        ["POST \(console.path)reset HTTP/1.1", cookie] + form, port,
        body: String(repeating: "x", count: 100_000))
    }
  }

  @Test(
    "what no history keeps is deleted only by a form that accepts this risk", arguments: Environment.allCases)
  func deletion(environment: Environment) async throws {
    let development = try LocalContainer.open(.memory)
    try await development.importSchema(
      "DEFINE SCHEMA\nCREATE ROLE Admin;\nRECORD TYPE T (a STRING, GRANT READ, CREATE, WRITE TO Admin);")
    try await development.deploySchema()
    let container = LocalContainer(
      store: development.store, environment: environment, identity: .serverKey)
    let outcomes = try await container.modify([
      RecordOperation(.create, recordType: "T", recordName: "a"),
      RecordOperation(.create, recordType: "T", recordName: "b"),
    ])
    #expect(outcomes.allSatisfy { $0.error == nil })
    try await served(of: container) { console, port in
      let forms = [
        ("", 400, 2), ("&acceptRisk=", 400, 2), ("&acceptRisk=on", 400, 2),
        ("&acceptRisk=subscriber-loss", 400, 2), ("&acceptRisk=data-loss", 200, 0),
      ]
      for (risk, status, left) in forms {
        let form = "secret=\(console.callers.formSecret)\(risk)"
        let head = [
          "POST \(console.path)reset HTTP/1.1", "Host: 127.0.0.1:\(port)",
          "Cookie: \(console.callers.cookie.prefix { $0 != ";" })",
          "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.utf8.count)",
        ]
        try await expect(status, head, port, body: form)
        let records = try await container.lookup(LookupRequest(["a", "b"])).compactMap(\.record)
        #expect(records.count == left, "\(risk)")
      }
    }
  }

  @Test(
    "connections without a request are closed, and a new one takes the place of the oldest",
    .timeLimit(.minutes(1)))
  func connections() async throws {
    var limits = ConsoleServer.limits
    limits.maximumConnections = 3
    try await served(limits) { console, port in
      let (closed, signal) = AsyncStream.makeStream(of: String.self)
      for _ in 0..<3 {
        let connection = try RawConnection(port: port)
        Task { signal.yield(await connection.drip(after: "GET / HTTP/1.1\r\nX: ", "")) }
      }
      try await expect(200, ["GET \(console.path) HTTP/1.1", "Host: 127.0.0.1:\(port)"], port)
      for await answer in closed {
        #expect(answer == "")
        break
      }
    }
  }

  @Test("a head that drips in, and a body that does, are cut off", .timeLimit(.minutes(1)))
  func slowClients() async throws {
    var heads = ConsoleServer.limits
    heads.idleTimeout = .milliseconds(200)
    try await served(heads) { console, port in
      let head = try await RawConnection(port: port).drip(after: "GET \(console.path) HTTP/1.1\r\nX: ", "y")
      #expect(!head.contains("200"))
    }
    var bodies = ConsoleServer.limits
    bodies.requestTimeout = .milliseconds(200)
    try await served(bodies) { console, port in
      let form = """
        POST \(console.path)reset HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\
        Cookie: \(console.callers.cookie.prefix { $0 != ";" })\r\nContent-Length: 1000\r\n\r\n
        """
      let answer = try await RawConnection(port: port).drip(after: form, "x")
      #expect(answer.hasPrefix("HTTP/1.1 408"))
    }
  }
}
