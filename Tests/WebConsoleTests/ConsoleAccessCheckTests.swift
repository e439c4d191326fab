import Cryptography
import Testing

@testable import WebConsole

@Suite struct ConsoleAccessCheckTests {
  private let check = ConsoleAccessCheck(port: 8081, secret: Secret("s3cret"))

  private func status(_ request: ConsoleRequest) -> Int {
    do {
      try check.check(request)
      return 200
    } catch {
      return error.status
    }
  }

  private func get(_ headers: [(name: String, value: String)], _ target: String = "/") -> Int {
    status(ConsoleRequest("GET", target, headers: headers))
  }

  @Test(
    "names of this machine with our port",
    arguments: [
      "127.0.0.1:8081", "[::1]:8081", "localhost:8081", "LOCALHOST:8081", "localhost.:8081",
      "[::ffff:127.0.0.1]:8081",
    ])
  func ownHosts(_ host: String) { #expect(get([("Host", host)]) == 200) }

  @Test(
    "any other name, port or form of Host is refused",
    arguments: [
      "127.0.0.1.evil.com:8081", "127.evil.com:8081", "127.0.0.1.nip.io:8081", "127.:8081",
      "localhost.evil.com:8081",
      "evil.com:8081", "user@127.0.0.1:8081", "0.0.0.0:8081", "127.0.0.1", "127.0.0.1:8080",
      "127.0.0.1:80810", "",
      "127.0.0.1:8081, evil.com", "127.0.0.1:8081 ", "[::1]", "::1:8081", "127.0.0.1:08081", "127.1:8081",
      "2130706433:8081",
      "localhost..:8081",
    ])
  func otherHosts(_ host: String) { #expect(get([("Host", host)]) == 421) }

  @Test("no Host, and two Hosts")
  func numberOfHosts() {
    #expect(get([]) == 400)
    #expect(get([("Host", "127.0.0.1:8081"), ("Host", "evil.com")]) == 421)
    #expect(get([("Host", "127.0.0.1:8081"), ("Host", "127.0.0.1:8081")]) == 421)
  }

  @Test(
    "a target that names a host",
    arguments: ["http://evil.com/", "http://127.0.0.1:8081/", "//evil.com/", "*", ""])
  func targets(_ target: String) { #expect(get([("Host", "127.0.0.1:8081")], target) == 421) }

  @Test("on every request a page of another origin is refused", arguments: ["GET", "HEAD", "POST"])
  func sites(_ method: String) {
    for site in ["cross-site", "same-site", "none, cross-site", ""] {
      let request = form(method: method, [("Sec-Fetch-Site", site)])
      #expect(status(request) == 403, "\(site)")
    }
    for site in ["same-origin", "none"] {
      #expect(status(form(method: method, [("Sec-Fetch-Site", site)])) == 200)
    }
    for origin in [
      "null", "http://evil.com", "http://127.0.0.1:8080", "https://127.0.0.1:8081", "http://localhost:8081",
      "x", "",
    ] {
      #expect(status(form(method: method, [("Origin", origin)])) == 403, "\(origin)")
    }
    #expect(status(form(method: method, [("Origin", "http://127.0.0.1:8081")])) == 200)
    #expect(
      status(form(method: method, [("Origin", "http://127.0.0.1:8081"), ("Sec-Fetch-Site", "cross-site")]))
        == 403)
  }

  private func form(
    method: String = "POST", _ extra: [(name: String, value: String)] = [],
    type: String? = "application/x-www-form-urlencoded", body: String = "secret=s3cret"
  ) -> ConsoleRequest {
    let types = type.map { [(name: "Content-Type", value: $0)] } ?? []
    return ConsoleRequest(
      method, "/reset", headers: [("Host", "127.0.0.1:8081")] + types + extra, body: Array(body.utf8))
  }

  @Test("a form carries the secret of the process and is sent as a form")
  func forms() {
    #expect(status(form()) == 200)
    #expect(status(form(type: "application/x-www-form-urlencoded; charset=utf-8")) == 200)
    for type in ["text/plain", "multipart/form-data; boundary=x", "application/json", nil] {
      #expect(status(form(type: type)) == 415)
    }
    for body in [
      "", "secret=", "secret=S3CRET", "secret=s3cre", "secret=s3crets", "x=1&secret=a&secret=s3cret",
      "{\"secret\":\"s3cret\"}",
    ] {
      #expect(status(form(body: body)) == 403, "\(body)")
    }
  }

  @Test("other methods", arguments: ["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "post"])
  func methods(_ method: String) {
    #expect(status(ConsoleRequest(method, "/", headers: [("Host", "127.0.0.1:8081")])) == 405)
  }

  @Test("nobody is answered before the port is known")
  func beforeListening() {
    let closed = ConsoleAccessCheck(secret: Secret("s"))
    #expect(throws: ConsoleAccessCheck.Refused.self) {
      try closed.check(ConsoleRequest("GET", "/", headers: [("Host", "127.0.0.1:8081")]))
    }
  }

  @Test("each process has a secret of its own")
  func secrets() {
    #expect(Secret.random() != Secret.random())
    #expect(Secret.random().exposed.utf8.count == 32)
  }
}
