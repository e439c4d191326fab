internal import CurlShim

extension IPAddressPolicy {
  /// Whether the host of an address may be one that the policy allows. Names are not looked up: those that networks use
  /// for themselves are refused, and any other may be allowed.
  ///
  /// - Parameter host: as in a URL; an IPv6 address with or without brackets.
  package func allows(host: String) -> Bool {
    guard self == .publicOnly else { return true }
    var host = host.lowercased()[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if host.hasSuffix(".") { host = host.dropLast() }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = curl_shim_parse_address(String(host), &bytes)
    if count > 0 { return allows(bytes.prefix(count)) }
    return host.contains(".") && !Self.internalNames.contains { host.hasSuffix($0) }
  }

  /// RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and what home routers use.
  private static let internalNames = [".localhost", ".local", ".internal", ".lan", ".home.arpa"]
}
