/// The cookies of one chain of redirects (RFC 6265, section 5). Some sites set a cookie and redirect to the same address
/// until it is returned. Nothing is kept longer than the chain.
struct CookieJar {
  /// A cookie with its scope (RFC 6265).
  private struct Cookie {
    var name: String
    var value: String
    var domain: String
    /// Only this host, and not the hosts below it.
    var isHostOnly: Bool
    var path: String
    var isSecure: Bool
  }

  private var cookies: [Cookie] = []

  private static let maxCookies = 50
  private static let maxBytes = 4096

  /// Takes the cookies that a response from `url` sets.
  mutating func take(_ headers: HTTPHeaders, from url: URLParts) {
    for header in headers.values("Set-Cookie") where header.utf8.count <= Self.maxBytes {
      let parts = header.split(separator: ";", omittingEmptySubsequences: false).map(Self.pair)
      guard let (name, value) = parts.first, !name.isEmpty else { continue }
      let attributes = Dictionary(
        parts.dropFirst().map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
      let domain = Self.domain(attributes["domain"])
      guard domain == nil || Self.matches(url.host, domain: domain ?? "") else { continue }
      let path = attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/"
      let cookie = Cookie(
        name: name, value: value, domain: domain ?? url.host, isHostOnly: domain == nil, path: path,
        isSecure: attributes["secure"] != nil)
      cookies.removeAll { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path }
      if !Self.isExpired(attributes), cookies.count < Self.maxCookies { cookies.append(cookie) }
    }
  }

  /// The value of the `Cookie` header of a request; `nil` when no cookie belongs to it.
  func header(for url: URLParts) -> String? {
    let path = url.path
    let sent = cookies.filter { cookie in
      (cookie.isHostOnly ? url.host == cookie.domain : Self.matches(url.host, domain: cookie.domain))
        && (!cookie.isSecure || url.scheme == "https") && Self.isBelow(path, cookie.path)
    }
    return sent.isEmpty ? nil : sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }

  private static func pair(_ part: Substring) -> (name: String, value: String) {
    let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
    return (sides[0], sides.count > 1 ? sides[1] : "")
  }

  private static func trimmed(_ text: Substring) -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    let start = text.drop(while: isSpace)
    return String(start.lastIndex { !isSpace($0) }.map { start[...$0] } ?? "")
  }

  /// `nil` for a missing domain, and for one that is a whole top level.
  private static func domain(_ text: String?) -> String? {
    guard let text = text?.lowercased() else { return nil }
    let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
    return name.contains(".") ? name : nil
  }

  private static func matches(_ host: String, domain: String) -> Bool {
    host == domain
      || host.hasSuffix("." + domain) && !host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
  }

  private static func isBelow(_ path: String, _ directory: String) -> Bool {
    path == directory || path.hasPrefix(directory.hasSuffix("/") ? directory : directory + "/")
  }

  private static func isExpired(_ attributes: [String: String]) -> Bool {
    if let age = attributes["max-age"] { return age.hasPrefix("-") || age == "0" }
    return attributes["expires"].flatMap(HTTPDate.secondsSince1970).map { $0 <= 0 } ?? false
  }
}
