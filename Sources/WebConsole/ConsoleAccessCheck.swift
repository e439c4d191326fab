internal import Cryptography
internal import Synchronization

/// Checks who may use the console. Listening on loopback is not enough: any page that a browser shows can send
/// requests here, and a name that leads to loopback (DNS rebinding) even makes such a page part of this origin.
final class ConsoleAccessCheck: Sendable {
  /// Why a request is refused, with the HTTP status of the answer.
  struct Refused: Error, Sendable, Hashable {
    let status: Int
    let reason: String
  }

  /// The console's port; 0 until it listens, which refuses all requests.
  private let port: Atomic<Int>
  /// Made for this process. A page of another origin cannot read it, so that it cannot send a form.
  private let secret: Secret

  init(port: Int = 0, secret: Secret) {
    self.port = Atomic(port)
    self.secret = secret
  }

  func listens(on port: Int) { self.port.store(port, ordering: .sequentiallyConsistent) }

  func check(_ request: ConsoleRequest) throws(Refused) {
    let host = try host(of: request)
    try checkTarget(request.target, host: host)
    try checkSite(request, host: host)
    switch request.method {
    case "GET", "HEAD": break
    case "POST": try checkForm(request)
    default: throw Refused(status: 405, reason: "The console supports only the methods GET, HEAD and POST.")
    }
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

  /// A target may be a whole address (RFC 9112, section 3.2.2); then its host counts.
  private func checkTarget(_ target: String, host: String) throws(Refused) {
    guard target.hasPrefix("/"), !target.hasPrefix("//") else {
      throw Refused(status: 421, reason: "The request names another host than this console.")
    }
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

  private func checkForm(_ request: ConsoleRequest) throws(Refused) {
    let type = request.header("content-type")?.prefix { $0 != ";" }.lowercased()
    guard type == "application/x-www-form-urlencoded" else {
      throw Refused(
        status: 415, reason: "The console accepts forms only as application/x-www-form-urlencoded.")
    }
    guard let sent = request.form["secret"], sent.utf8.elementsEqual(secret.exposed.utf8) else {
      throw Refused(
        status: 403, reason: "The form does not belong to this run of the console. Load the page again.")
    }
  }
}

extension Secret {
  /// 128 random bits.
  static func random() -> Secret {
    var generator = SystemRandomNumberGenerator()
    return Secret((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal)
  }
}
