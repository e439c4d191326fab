internal import Catalog
internal import Diagnostics
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

  var rule: CurationRule {
    switch self {
    case .secret: .secretAddress
    case .privateHost: .privateAddress
    case .fragment: .addressFragment
    }
  }

  /// - Parameter name: of the feed.
  func sentence(of name: String, at url: String) -> String {
    switch self {
    case .secret: "the address of '\(name)' has a value that looks like a secret"
    case .privateHost: "the host of '\(name)', \(WebAddress(url)?.host ?? ""), is in a private network"
    case .fragment: "the address of '\(name)' has a part after '#'"
    }
  }

  private static func hasSecret(_ url: String) -> Bool {
    let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    return query.prefix { $0 != "#" }.split { $0 == "&" || $0 == ";" }.contains { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && AddressSecrets.parameters.contains(parts[0].lowercased())
    }
  }
}
