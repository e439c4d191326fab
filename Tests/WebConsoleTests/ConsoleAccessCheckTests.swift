import Cryptography
import Testing

@testable import WebConsole

@Suite struct ConsoleAccessCheckTests {
  private let check: ConsoleAccessCheck = ConsoleAccessCheck(port: 8081, secrets: known)
  private static let known = ConsoleSecrets(
    path: Secret("p4th"), cookie: Secret("c00kie"), form: Secret("s3cret"))
  private static let cookie = (name: "Cookie", value: "celestra-console-8081=c00kie")

  private func status(_ request: ConsoleRequest) -> Int {
    do throws(ConsoleAccessCheck.Refused) {
      _ = try check.page(of: request)
      if request.isForm { try check.checkForm(request) }
      return 200
    } catch {
      return error.status
    }
  }

  private func get(_ headers: [(name: String, value: String)], _ target: String = "/p4th/") -> Int {
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
    "a target that is no path",
    arguments: ["http://evil.com/p4th/", "http://127.0.0.1:8081/", "*", "", "p4th/"])
  func targets(_ target: String) { #expect(get([("Host", "127.0.0.1:8081")], target) == 421) }

  @Test(
    "nothing is answered outside of the secret path, in whatever spelling",
    arguments: [
      "/", "//", "//p4th/", "/p4t", "/p4thx", "/p4thx/", "/P4TH/", "/%704th/", "/p4th%2F", "/p4th%2Fschema",
      "/./p4th/", "/x/../p4th/", "/x/p4th/", "/p4th;x/", "/p4th\\", "/?p4th/", "/favicon.ico", "/robots.txt",
      "/schema",
      "//evil.com/p4th/", "/p4th\u{301}/", "/ p4th/",
    ])
  func otherPaths(_ target: String) {
    for method in ["GET", "HEAD", "POST", "OPTIONS", "DELETE"] {
      let request = ConsoleRequest(
        method, target, headers: [("Host", "127.0.0.1:8081"), Self.cookie], body: Array("secret=s3cret".utf8))
      #expect(status(request) == 403, "\(method)")
    }
  }

  @Test("the pages below the secret path, decoded")
  func pages() throws {
    let pages: [(target: String, page: [String])] = [
      ("/p4th", []), ("/p4th/", []), ("/p4th?a=/b", []), ("/p4th/schema", ["schema"]), ("/p4th//", ["", ""]),
      ("/p4th/records/A%20%2FB?x", ["records", "A /B"]), ("/p4th//schema", ["", "schema"]),
      ("/p4th/../p4th/", ["..", "p4th", ""]),
    ]
    for (target, page) in pages {
      let request = ConsoleRequest("GET", target, headers: [("Host", "127.0.0.1:8081"), Self.cookie])
      #expect(try check.page(of: request) == page, "\(target)")
    }
  }

  @Test(
    "only the first page is shown to a browser without the cookie",
    arguments: [
      nil, "", "celestra-console-8081=", "celestra-console-8081=C00kie", "celestra-console-8081=c00kiex",
      "celestra-console-80=c00kie", "xcelestra-console-8081=c00kie", "celestra-console-8081", "c00kie",
      "a=celestra-console-8081=c00kie",
    ])
  func cookies(_ cookie: String?) {
    let cookies = cookie.map { [(name: "Cookie", value: $0)] } ?? []
    let expected = [
      ("GET", "/p4th/", 200), ("HEAD", "/p4th", 200), ("GET", "/p4th/schema", 403), ("HEAD", "/p4th/x", 403),
      ("POST", "/p4th/", 403), ("POST", "/p4th/reset", 403), ("OPTIONS", "/p4th/", 403),
    ]
    for (method, target, code) in expected {
      let request = ConsoleRequest(method, target, headers: [("Host", "127.0.0.1:8081")] + cookies)
      #expect(status(request) == code, "\(method) \(target)")
    }
  }

  @Test("the cookie is found among others, also those of the same name that another server set")
  func severalCookies() {
    for headers in [
      [("Cookie", "a=b; celestra-console-8081=other; celestra-console-8081=c00kie")],
      [("Cookie", "celestra-console-8081=other"), ("Cookie", "celestra-console-8081=c00kie;x=y")],
    ] as [[(name: String, value: String)]] {
      #expect(get([("Host", "127.0.0.1:8081")] + headers, "/p4th/schema") == 200)
    }
  }

  @Test("the cookie is sent to this console's pages only, and to no script")
  func cookieAttributes() {
    #expect(check.cookie == "celestra-console-8081=c00kie; Path=/p4th; HttpOnly; SameSite=Strict")
  }

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
      method, "/p4th/reset", headers: [("Host", "127.0.0.1:8081"), Self.cookie] + types + extra,
      body: Array(body.utf8))
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
    #expect(
      status(ConsoleRequest(method, "/p4th/", headers: [("Host", "127.0.0.1:8081"), Self.cookie])) == 405)
  }

  @Test("nobody is answered before the port is known")
  func beforeListening() {
    let closed = ConsoleAccessCheck(secrets: Self.known)
    #expect(throws: ConsoleAccessCheck.Refused.self) {
      _ = try closed.page(of: ConsoleRequest("GET", "/p4th/", headers: [("Host", "127.0.0.1:8081")]))
    }
  }

  @Test("each process has secrets of its own, all different")
  func secrets() {
    let secrets = [ConsoleSecrets(), ConsoleSecrets()].flatMap { [$0.path, $0.cookie, $0.form] }
    #expect(Set(secrets).count == 6)
    #expect(secrets.allSatisfy { $0.exposed.utf8.count == 32 })
  }

  @Test(
    "on port 80 a name of this machine may stand alone",
    arguments: [
      ("127.0.0.1", true), ("localhost", true), ("localhost:80", true), ("[::1]", true), ("evil.com", false),
      ("evil.com:80", false), ("localhost:8081", false),
    ])
  func usualPort(host: String, isOurs: Bool) {
    let check = ConsoleAccessCheck(port: 80, secrets: Self.known)
    let request = ConsoleRequest("GET", "/p4th/", headers: [("Host", host)])
    #expect(((try? check.page(of: request)) != nil) == isOurs)
  }
}
