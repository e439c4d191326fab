internal import CloudKitModel

/// The host names and origins that an emulator answers. Without this check, any web page could send requests to it
/// from the user's browser: across origins, or through a host name that resolves to loopback (DNS rebinding).
struct AllowedHostsAndOrigins: Sendable {
  private static let loopback: Set = ["127.0.0.1", "[::1]", "localhost"]
  private let hosts: Set<String>
  private let origins: Set<String>

  init(_ configuration: EmulatorConfiguration) {
    hosts = AllowedHostsAndOrigins.loopback.union(configuration.allowedHosts.map { $0.lowercased() })
    origins = configuration.allowedOrigins
  }

  /// Throws ``HTTPRefusal`` for an unknown host name, ``ServerError`` for an unknown origin.
  func check(_ request: EmulatorRequest) throws {
    guard hosts.contains(AllowedHostsAndOrigins.host(of: request.origin)) else { throw HTTPRefusal.wrongHost }
    guard let origin = request.header("Origin"), !allows(origin: origin) else { return }
    throw ServerError(
      .accessDenied, "pages of this origin may not use the emulator",
      "the page's origin is not on this machine; allow it with --allowed-origin")
  }

  private func allows(origin: String) -> Bool {
    origins.contains(origin)
      || AllowedHostsAndOrigins.loopback.contains(AllowedHostsAndOrigins.host(of: origin))
  }

  /// The host of `http://HOST:PORT`, in lower case. A page without a host has the origin `null`.
  private static func host(of origin: String) -> String {
    let schemes = ["http://", "https://"]
    guard let scheme = schemes.first(where: origin.hasPrefix) else { return "" }
    var host = origin.dropFirst(scheme.count)
    if let colon = host.lastIndex(of: ":"),
      host[colon...].dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
    {
      host = host[..<colon]
    }
    return host.lowercased()
  }
}

/// Cross-origin resource sharing (CORS; Fetch Standard, section 3.3): answers the browser's preflight requests and
/// adds the headers that let a page of another origin read a reply. Pages that use CloudKit JS need it. The
/// management API does not support it, because no page uses it.
enum CORSPolicy {
  static func preflight(_ request: EmulatorRequest) -> EmulatorReply? {
    guard request.method == "OPTIONS", let origin = request.header("Origin"),
      request.header("Access-Control-Request-Method") != nil
    else { return nil }
    var reply = EmulatorReply(status: 204)
    reply.headers = [
      ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
      ("Access-Control-Allow-Methods", "GET, POST, OPTIONS"),
      ("Access-Control-Allow-Headers", request.header("Access-Control-Request-Headers") ?? "*"),
      ("Access-Control-Max-Age", "86400"),
    ]
    return reply
  }

  /// Adds the headers that let the page read the reply and the next session token in it.
  static func addHeaders(to reply: inout EmulatorReply, for request: EmulatorRequest) {
    guard let origin = request.header("Origin") else { return }
    reply.headers += [
      ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
      (
        "Access-Control-Expose-Headers", "X-Apple-CloudKit-Web-Auth-Token, X-Apple-Request-UUID, Retry-After"
      ),
    ]
  }
}
