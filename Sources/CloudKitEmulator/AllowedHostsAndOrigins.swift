internal import CloudKitModel
internal import LocalContainer

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

  /// Throws ``WrongHostError`` for an unknown host name, ``ServiceRefusal`` for an unknown origin.
  func check(_ request: EmulatorRequest) throws {
    guard hosts.contains(AllowedHostsAndOrigins.host(of: request.origin)) else { throw WrongHostError() }
    guard let origin = request.header("Origin"), !allows(origin: origin) else { return }
    throw ServiceRefusal(
      ServerError(.accessDenied, "pages of this origin may not use the emulator"),
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
    if let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isASCIIDigit) {
      host = host[..<colon]
    }
    return host.lowercased()
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

/// The error for a request whose `Host` header names another server. Answered with 421.
struct WrongHostError: Error {
  static let refusal = ServiceRefusal(
    ServerError(
      .badRequest,
      "this emulator answers only for 127.0.0.1, [::1] and localhost; add a name with --allowed-host NAME"),
    "the request's Host header names another server")
}
