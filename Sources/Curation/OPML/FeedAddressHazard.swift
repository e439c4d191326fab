internal import Catalog
internal import HTTPTransport

/// Something about a feed's address that an editor should see before it goes into a public catalog.
enum FeedAddressHazard: Hashable, CaseIterable {
  /// The query has a value that looks like a key to the feed.
  case secret
  /// Only machines of one network can reach the host.
  case privateHost
  /// The part after `#`, which servers never see.
  case fragment

  static func all(in url: String) -> [FeedAddressHazard] {
    guard let address = WebAddress(url) else { return [] }
    var found: [FeedAddressHazard] = []
    if hasSecret(url) { found.append(.secret) }
    // RFC 6761: no name below `test` exists for everyone.
    let isReachable =
      IPAddressPolicy.publicOnly.allows(host: address.host) && !address.host.hasSuffix(".test")
    if !isReachable { found.append(.privateHost) }
    if url.contains("#") { found.append(.fragment) }
    return found
  }

  /// Names of parameters that hold a key to something.
  private static let secretNames: Set<String> = [
    "token", "access_token", "auth_token", "authtoken", "auth", "key", "api_key", "apikey", "secret",
    "password",
    "passwd", "pass", "pw", "pwd", "sig", "signature", "session", "sessionid", "sid",
  ]

  private static func hasSecret(_ url: String) -> Bool {
    let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    return query.prefix { $0 != "#" }.split { $0 == "&" || $0 == ";" }.contains { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && secretNames.contains(parts[0].lowercased())
    }
  }
}

/// Writes addresses for people: without user information, and without the query, which can hold secrets.
enum ShownAddress {
  static func text(_ url: String) -> String {
    let plain = url.prefix { $0 != "?" && $0 != "#" }
    let rest = plain.count < url.count ? "?…" : ""
    guard let scheme = plain.firstRange(of: "://") else { return String(plain) + rest }
    let authority = plain[scheme.upperBound...].prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return String(plain) + rest }
    return plain[..<scheme.upperBound] + plain[plain.index(after: at)...] + rest
  }
}
