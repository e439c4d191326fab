/// The proxy for https requests, from the variables that libcurl documents (Documentation/reference/commands.md#a-proxy).
///
/// Requests over plain http and requests to this machine use no proxy. So a proxy carries TLS only: it sees the name of
/// the host, but no path, no token and no signature (Documentation/ThreatModel.md#tokens-and-hosts).
package struct ProxySettings: Sendable, Hashable {
  /// The proxy's address, perhaps with a user name and password; `nil` means a direct connection.
  private let address: String?
  /// Hosts that are reached directly: names with everything below them, addresses and address ranges, or `*` for all.
  private let directHosts: String

  package static let none = ProxySettings([:])

  /// - Parameter environment: the variables of the process. Lowercase names win, and an empty variable counts as unset.
  package init(_ environment: [String: String]) {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    address = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    directHosts = first("no_proxy", "NO_PROXY") ?? ""
  }

  /// What libcurl needs for a request; `nil` for a direct connection.
  ///
  /// - Throws: `HTTPFailure` of kind `proxy` when libcurl has no such kind of proxy.
  func proxy(for request: HTTPRequest) throws(HTTPFailure) -> (address: String, directHosts: String)? {
    // A proxy would hide the server's address from the policy.
    guard let address, request.addressPolicy == .any, let url = URLParts(request.url), url.scheme == "https",
      !url.isLoopback, url.host != "localhost.", !url.host.hasSuffix(".localhost")
    else { return nil }
    let scheme = address.firstRange(of: "://").map { address[..<$0.lowerBound].lowercased() } ?? "http"
    guard Self.schemes.contains(scheme) else {
      throw HTTPFailure(
        .proxy,
        "HTTPS_PROXY or ALL_PROXY has a proxy URL with an unknown scheme. Use \(Self.schemes.joined(separator: ", "))."
      )
    }
    return (address, directHosts)
  }

  private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
}
