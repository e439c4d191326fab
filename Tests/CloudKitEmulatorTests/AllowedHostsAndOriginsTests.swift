import CloudKitEmulator
import CloudKitModel
import Cryptography
import Diagnostics
import HTTPTransport
import RawConnections
import Testing

@Suite struct AllowedHostsAndOriginsTests {
  private static let reset = "/v1/database/teams/T/containers/\(Fixture.container)/reset"

  private func status(
    host: String = "127.0.0.1", origin: String? = nil, token: String? = nil, method: String = "GET",
    path: String = "/sign-in", _ change: (inout EmulatorConfiguration) -> Void = { _ in }
  ) async throws -> Int {
    let fixture = try await Fixture(change)
    var request = EmulatorRequest(method, path, origin: "http://\(host)")
    request.headers["origin"] = origin
    request.headers["x-apple-cloudkit-management-token"] = token
    return await fixture.emulator.reply(to: request).status
  }

  @Test(
    "it answers for this machine's own names, whatever the port",
    arguments: ["127.0.0.1", "127.0.0.1:8080", "localhost:1", "LOCALHOST", "[::1]", "[::1]:8080"])
  func ownHosts(_ host: String) async throws {
    #expect(try await status(host: host) == 200)
  }

  @Test(
    "it answers for no other name",
    arguments: [
      "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.2",
      "evil.example:80@127.0.0.1", "[::1].evil.example", "", "[", "emulator:8080",
    ])
  func otherHosts(_ host: String) async throws {
    #expect(try await status(host: host) == 421)
  }

  @Test("a name may be allowed, and its case does not count")
  func allowedHost() async throws {
    for host in ["emulator", "Emulator:8080"] {
      #expect(try await status(host: host) { $0.allowedHosts = ["Emulator"] } == 200)
    }
    #expect(try await status(host: "other") { $0.allowedHosts = ["emulator"] } == 421)
  }

  @Test("over HTTP the Host header counts, and the answer says what to do")
  func served() async throws {
    try await Fixture().served { _, server in
      let request = HTTPRequest(
        "POST", url: server.url + Self.reset,
        headers: [
          "Host": "evil.example:\(server.port)", "X-Apple-CloudKit-Management-Token": "token",
        ])
      let response = try await CurlTransport().send(request)
      #expect(response.status == 421)
      #expect(String(decoding: response.body, as: UTF8.self).contains("--allowed-host NAME"))
      #expect(!String(decoding: response.body, as: UTF8.self).contains("evil"))
    }
  }

  @Test("a target that is a whole address counts as its host says, whatever the Host header says")
  func absoluteTargets() async throws {
    try await Fixture().served { _, server in
      let path = "/sign-in"
      let targets: [(target: String, status: String)] = [
        ("http://evil.example\(path)", "421"), ("http://evil.example:80@127.0.0.1\(path)", "421"),
        ("https://127.0.0.1\(path)", "421"), ("http://LOCALHOST:\(server.port)\(path)", "200"),
      ]
      for (target, status) in targets {
        let answer = try await RawConnection(port: server.port).beginning(
          after: "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(target)")
      }
    }
  }

  @Test("pages of this machine may use it, others only when they are allowed")
  func origins() async throws {
    for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:5173"] {
      #expect(try await status(origin: origin) == 200, "\(origin)")
    }
    for origin in ["https://evil.example", "http://localhost.evil.example", "null", "file://localhost"] {
      #expect(try await status(origin: origin) == 403, "\(origin)")
      #expect(try await status(origin: origin) { $0.allowedOrigins = [origin] } == 200, "\(origin)")
    }
  }

  @Test("a refused page gets no permission to read, and its question before a request is refused too")
  func refusedPages() async throws {
    let fixture = try await Fixture()
    for method in ["OPTIONS", "POST"] {
      let headers = ["origin": "https://evil.example", "access-control-request-method": "POST"]
      let reply = await fixture.emulator.reply(
        to: EmulatorRequest(method, Fixture.root + "records/query?ckAPIToken=api", headers: headers))
      #expect(reply.status == 403)
      #expect(!reply.headers.contains { $0.name.hasPrefix("Access-Control") })
    }
  }

  @Test("the management API takes one token, a new one for each emulator unless it is set")
  func managementToken() async throws {
    for token in ["x", "", nil] {
      #expect(try await status(token: token, method: "POST", path: Self.reset) == 401)
    }
    #expect(try await status(token: "token", method: "POST", path: Self.reset) == 202)
    let made = [1, 2].map { _ in EmulatorConfiguration(container: Fixture.container).managementToken }
    #expect(made[0] != made[1] && made[0].exposed.count > 30)
  }

  @Test("only a browser's question before a request is answered as one, and allows what it asks for")
  func preflight() async throws {
    let emulator = try await Fixture().emulator
    let origin = ["origin": "http://localhost:3000"]
    let method = ["access-control-request-method": "POST"]
    for (name, headers, status) in [
      ("OPTIONS", origin.merging(method) { $1 }, 204), ("OPTIONS", origin, 200), ("OPTIONS", method, 200),
      ("POST", origin.merging(method) { $1 }, 401),
    ] {
      let reply = await emulator.reply(
        to: EmulatorRequest(name, Fixture.root + "records/query", headers: headers))
      #expect(reply.status == status, "\(name) \(headers)")
      let allowed = reply.headers.first { $0.name == "Access-Control-Allow-Origin" }?.value
      #expect(allowed == headers["origin"])
    }
  }
}
