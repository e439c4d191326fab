internal import Catalog

/// Extracts the host names of feed URLs, by which requests are grouped.
enum HostName {
  /// The host in lower case, without port; the whole text when it is not a web address.
  static func of(_ url: String) -> String { WebAddress(url)?.host ?? url }

  /// Scheme, host and port: the scope of a `robots.txt`.
  static func origin(of url: String) -> String? { WebAddress(url)?.origin }

  /// True for this machine's loopback names and addresses. Names are not resolved.
  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || isLoopbackAddress(host)
  }

  private static func isLoopbackAddress(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
