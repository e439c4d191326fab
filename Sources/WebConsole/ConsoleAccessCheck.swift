internal import Cryptography
internal import Diagnostics
internal import Synchronization

/// What proves that a request comes from the user who started the console. A process makes its own.
struct ConsoleSecrets: Sendable {
  /// The first part of the path of every page, which only the printed address has.
  var path = Secret.random()
  /// The value of the cookie that the printed address gives to a browser.
  var cookie = Secret.random()
  var form = Secret.random()
}

/// Checks who may use the console. Listening on loopback is not enough: every user of this machine can connect, any
/// page that a browser shows can send requests here, and a name that leads to loopback (DNS rebinding) even makes such a
/// page part of this origin.
final class ConsoleAccessCheck: Sendable {
  /// Why a request is refused, with the HTTP status of the answer.
  struct Refused: Error, Sendable, Hashable {
    let status: Int
    let reason: String
  }

  /// The console's port; 0 until it listens, which refuses all requests.
  private let port: Atomic<Int>
  private let secrets: ConsoleSecrets

  init(port: Int = 0, secrets: ConsoleSecrets = ConsoleSecrets()) {
    self.port = Atomic(port)
    self.secrets = secrets
  }

  func listens(on port: Int) { self.port.store(port, ordering: .sequentiallyConsistent) }

  /// The path of every page begins with this: `/0123…`.
  var root: String { "/\(secrets.path.exposed)" }

  /// The `Set-Cookie` of the first page. The name has the port, because a browser sends cookies to every port of a host.
  var cookie: String { "\(cookieName)=\(secrets.cookie.exposed); Path=\(root); HttpOnly; SameSite=Strict" }

  var formSecret: String { secrets.form.exposed }

  private var cookieName: String { "celestra-console-\(port.load(ordering: .sequentiallyConsistent))" }

  /// The decoded parts of the page's path below the secret one: `["records", "A B"]` for `/0123…/records/A%20B`, empty
  /// for the printed address. A form is checked by ``checkForm(_:)``, too.
  func page(of request: ConsoleRequest) throws(Refused) -> [String] {
    let host = try host(of: request)
    let page = try page(ofTarget: request.target)
    let isFirst = page.isEmpty && ["GET", "HEAD"].contains(request.method)
    guard isFirst || hasCookie(request) else {
      throw Refused(
        status: 403,
        reason:
          "This browser has no cookie of this run of the console. Open the address that the console printed.")
    }
    try checkSite(request, host: host)
    guard ["GET", "HEAD", "POST"].contains(request.method) else {
      throw Refused(status: 405, reason: "The console supports only the methods GET, HEAD and POST.")
    }
    return page
  }

  /// The names of this machine, with the port that we listen on. No prefix, suffix or user part is accepted.
  private func host(of request: ConsoleRequest) throws(Refused) -> String {
    let names = ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "localhost."]
    let port = port.load(ordering: .sequentiallyConsistent)
    guard let host = request.header("host")?.lowercased() else {
      throw Refused(status: 400, reason: "The request has no Host.")
    }
    guard names.contains(where: { host == "\($0):\(port)" || (port == 80 && host == $0) }) else {
      throw Refused(
        status: 421, reason: "The console answers only for 127.0.0.1, [::1] and localhost with port \(port).")
    }
    return host
  }

  /// The path must contain the secret exactly as it was printed. Other spellings are not decoded.
  private func page(ofTarget target: String) throws(Refused) -> [String] {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    guard path.first == UInt8(ascii: "/") else {
      throw Refused(status: 421, reason: "The request names another host than this console.")
    }
    let parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let first = parts.first, Secret(String(decoding: first, as: UTF8.self)) == secrets.path else {
      throw Refused(
        status: 403,
        reason: "The console's address has a secret path. Open the address that the console printed.")
    }
    let page = parts.dropFirst()
    if page.count == 1, page.first?.isEmpty == true { return [] }
    return page.map { PercentEncoding.decodeAny(String(decoding: $0, as: UTF8.self)) }
  }

  /// Whether any cookie of our name has the value: a server on another port may have set one of the same name.
  private func hasCookie(_ request: ConsoleRequest) -> Bool {
    request.cookies(named: cookieName).contains { Secret($0) == secrets.cookie }
  }

  /// Browsers say where a request comes from (Fetch Metadata, section 2.1). Other programs do not.
  private func checkSite(_ request: ConsoleRequest, host: String) throws(Refused) {
    if let site = request.header("sec-fetch-site"), site != "same-origin", site != "none" {
      throw Refused(status: 403, reason: "The request comes from a page of another origin.")
    }
    if let origin = request.header("origin"), origin.lowercased() != "http://\(host)" {
      throw Refused(status: 403, reason: "The request comes from a page of another origin.")
    }
  }

  func checkForm(_ request: ConsoleRequest) throws(Refused) {
    let type = request.header("content-type")?.prefix { $0 != ";" }.lowercased()
    guard type == "application/x-www-form-urlencoded" else {
      throw Refused(
        status: 415, reason: "The console accepts forms only as application/x-www-form-urlencoded.")
    }
    guard let sent = request.form["secret"], Secret(sent) == secrets.form else {
      throw Refused(
        status: 403, reason: "The form does not belong to this run of the console. Load the page again.")
    }
  }
}
