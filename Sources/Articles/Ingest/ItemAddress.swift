internal import Catalog

/// The address of an item, as far as it says which item it is (Documentation/reference/articles.md#tracking-parameters).
enum ItemAddress {
  /// The address without fragment and tracking parameters.
  static func identifying(_ address: String) -> String {
    let normalized = WebAddress.normalized(address)
    guard normalized.utf8.contains(UInt8(ascii: "?")), let start = normalized.firstIndex(of: "?") else {
      return normalized
    }
    let all = parameters(of: normalized)
    let kept = all.filter { !isTracking($0) }
    guard kept.count < all.count else { return normalized }
    return normalized[..<start] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }

  /// What two ids or links have in common that are alike: all but scheme, host, fragment and tracking parameters. Text that
  /// is no web address stays, but for what follows a `#`.
  ///
  /// - Parameter ignored: names of parameters that are new at each fetch.
  static func likeness(_ address: String, ignoring ignored: Set<String> = []) -> String {
    guard let web = WebAddress(address) else { return String(address.prefix { $0 != "#" }) }
    let kept = parameters(of: address.prefix { $0 != "#" }).filter {
      !isTracking($0) && !ignored.contains(name(of: $0))
    }
    return web.path + "?" + kept.joined(separator: "&")
  }

  /// The address with each scheme, and with and without `www.`.
  static func spellings(of address: String) -> [String?] {
    guard let start = address.firstRange(of: "://")?.upperBound else { return [] }
    let rest = address[start...].hasPrefix("www.") ? address[start...].dropFirst(4) : address[start...]
    return ["http", "https"].flatMap { scheme in ["", "www."].map { "\(scheme)://\($0)\(rest)" } }
  }

  static func isRoot(_ address: String) -> Bool {
    WebAddress(address).map { $0.path == "/" && $0.query.isEmpty } ?? false
  }

  /// The names of the parameters whose values differ in two addresses that have the same path and names.
  static func changedParameters(_ one: String, _ other: String) -> Set<String> {
    guard let first = WebAddress(one), let second = WebAddress(other), first.path == second.path else {
      return []
    }
    let (mine, others) = (parameters(of: one), parameters(of: other))
    guard mine.map(name) == others.map(name) else { return [] }
    return Set(zip(mine, others).filter { $0 != $1 }.map { name(of: $0.0) })
  }

  private static func parameters(of address: some StringProtocol) -> [Substring] {
    guard let start = address.firstIndex(of: "?") else { return [] }
    return Substring(address[address.index(after: start)...]).split(separator: "&")
  }

  private static func name(of parameter: Substring) -> String {
    parameter.prefix { $0 != "=" }.lowercased()
  }

  private static func isTracking(_ parameter: Substring) -> Bool {
    FeedURLComparisonKey.isTracking(name(of: parameter))
  }
}
