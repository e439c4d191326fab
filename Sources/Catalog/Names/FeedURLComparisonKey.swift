import Diagnostics

/// A key for comparing feed URLs: different URLs of one feed nearly always have the same key. It is not a URL that
/// can be stored or fetched.
///
/// Beyond what ``WebAddress`` levels, these do not count: the scheme, `www.`, a slash at the end, an index file against
/// its folder, the spelling of percent escapes, dot segments, parameters that track readers, and the second names of
/// feeds on FeedBurner, WordPress, Blogger, Reddit and YouTube. The case of a path, the order of parameters, and all
/// other parameters do count.
package struct FeedURLComparisonKey: Sendable, Hashable {
  package let key: String

  /// `nil` if the text is not a web address.
  package init?(_ text: String) {
    guard let address = WebAddress(Self.withoutFeedScheme(text)) else { return nil }
    self.init(address)
  }

  /// `nil` for an address without a host.
  init?(_ address: WebAddress) {
    guard !address.host.isEmpty else { return nil }
    var host = Self.host(address.host)
    var path = Self.path(address.path)
    var query = Self.query(address.query, host: host)
    Self.unify(&host, &path, &query)
    let port = address.port.map { ["", "80", "443"].contains($0) ? "" : ":" + $0 } ?? ""
    key = host + port + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// `feed:https://…` and `feed://…` as web addresses; any other text as it is.
  package static func withoutFeedScheme(_ text: String) -> String {
    let trimmed = text.drop { $0.isWhitespace }
    guard trimmed.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "f"),
      trimmed.prefix(5).lowercased() == "feed:"
    else { return String(trimmed) }
    let rest = trimmed.dropFirst(5)
    return rest.hasPrefix("//") ? "http:" + rest : String(rest)
  }

  // MARK: Parts

  private static func host(_ host: String) -> String {
    let host = host.withoutWWW
    if ["feedproxy.google.com", "feeds2.feedburner.com"].contains(host) { return "feeds.feedburner.com" }
    if ["old.reddit.com", "new.reddit.com"].contains(host) { return "reddit.com" }
    // ann.blogspot.co.uk, ann.blogspot.de
    let labels = host.utf8.split(separator: UInt8(ascii: "."))
    guard
      let blogspot = labels.dropFirst().dropLast().firstIndex(where: { $0.elementsEqual("blogspot".utf8) })
    else { return host }
    return host[..<labels[blogspot].endIndex] + ".com"
  }

  private static func path(_ path: String) -> String {
    var segments: [Substring] = []
    let parts = unescaped(path).utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for part in parts.dropFirst().lazy.map(Substring.init) where part != "." {
      if part == ".." { _ = segments.popLast() } else { segments.append(part) }
    }
    if let last = segments.last, last.utf8.starts(with: "index.".utf8), indexFiles.contains(String(last)) {
      segments[segments.count - 1] = ""
    }
    if segments.last?.isEmpty == true { segments.removeLast() }
    return segments.isEmpty ? "" : "/" + segments.joined(separator: "/")
  }

  private static let indexFiles: Set = ["index.xml", "index.rss", "index.rdf", "index.atom", "index.html"]

  /// Escapes of letters that need none are resolved (RFC 3986, section 6.2.2.2); the others are in upper case.
  static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let pieces = text.split(separator: "%", omittingEmptySubsequences: false)
    return pieces.dropFirst().reduce(String(pieces[0])) { text, piece in
      let digits = piece.prefix(2)
      guard digits.utf8.count == 2, digits.utf8.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16)
      else { return "\(text)%\(piece)" }
      let letter = value.isUnreserved ? String(UnicodeScalar(value)) : "%\(digits.uppercased())"
      return text + letter + piece.dropFirst(2)
    }
  }

  private static func query(_ query: String, host: String) -> [String] {
    query.utf8.split(separator: UInt8(ascii: "&")).map { unescaped(String(Substring($0))) }.filter {
      parameter in
      let name = Substring(parameter.utf8.prefix { $0 != UInt8(ascii: "=") }).lowercased()
      if isTracking(name) { return false }
      return !(host == "feeds.feedburner.com" && ["format", "fmt"].contains(name))
    }
  }

  /// Whether a parameter only says where a reader comes from.
  ///
  /// - Parameter name: in lower case.
  package static func isTracking(_ name: String) -> Bool {
    name.hasPrefix("utm_") || name.hasPrefix("mtm_") || trackers.contains(name)
  }

  private static let trackers: Set = [
    "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "mc_cid", "mc_eid",
    "_hsenc", "_hsmi", "vero_id", "igshid",
  ]

  /// Alternative URLs that some systems have for one feed.
  private static func unify(_ host: inout String, _ path: inout String, _ query: inout [String]) {
    if let feed = query.firstIndex(where: { $0 == "feed=rss2" || $0 == "feed=rss" }) {
      query.remove(at: feed)
      path += "/feed"
    }
    if path.hasSuffix("/feed/rss2") || path.hasSuffix("/feed/rss") {
      path = String(path[..<(path.firstRange(of: "/feed/rss")?.lowerBound ?? path.endIndex)]) + "/feed"
    }
    if host.hasSuffix(".blogspot.com") {
      query.removeAll { $0 == "alt=rss" }
      if path == "/atom.xml" || path == "/rss.xml" { path = "/feeds/posts/default" }
    }
    if host == "youtube.com", path == "/feeds/videos.xml" {
      query = query.map { parameter in
        parameter.hasPrefix("playlist_id=UU") && parameter.utf8.count == 36
          ? "channel_id=UC" + parameter.dropFirst(14) : parameter
      }
    }
  }
}

/// An address with all that it is compared by, each made once.
package struct ComparableAddress: Sendable {
  package let text: String
  /// `nil` if the text is not a web address.
  package let address: WebAddress?
  /// ``WebAddress/normalized(_:)``.
  package let normalized: String
  /// `nil` if the text is not a web address.
  package let key: FeedURLComparisonKey?

  package init(_ text: String) {
    self.text = text
    address = WebAddress(text)
    normalized = WebAddress.normalized(text, as: address)
    key = address.map { FeedURLComparisonKey($0) } ?? FeedURLComparisonKey(text)
  }
}
