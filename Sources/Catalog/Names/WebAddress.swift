internal import Diagnostics

/// An absolute `http` or `https` URL, split far enough to compare and to check it.
///
/// Two URLs are the same feed if their ``normalized`` forms are equal. Normalization changes only this:
///
/// 1. white space around the URL is dropped;
/// 2. scheme and host are put in lower case, and a dot that ends the host is dropped;
/// 3. the scheme's own port (80, 443) and an empty port are dropped;
/// 4. the fragment is dropped;
/// 5. an empty path becomes `/`;
/// 6. percent escapes get upper-case digits (RFC 3986, section 6.2.2.1).
///
/// Path, query, a trailing slash, `www.` and the choice between `http` and `https` stay as written,
/// because servers distinguish them.
package struct WebAddress: Sendable, Hashable {
  /// Lower case.
  package let scheme: String
  /// Everything before the host's `@`, if any.
  let userInfo: String?
  /// Lower case, without a dot at its end; an IPv6 address keeps its brackets.
  package let host: String
  private let writtenHost: String
  /// As written, without its colon.
  let port: String?
  /// Path and query, without the fragment; empty when the URL ends with its host.
  let pathAndQuery: String

  /// `nil` if the text is not an `http` or `https` URL.
  package init?(_ text: String) {
    // Byte by byte: every byte that separates the parts of a URL is ASCII, and catalogs hold many URLs.
    let bytes = text.utf8.trimmed
    guard let separator = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[separator...].starts(with: "://".utf8)
    else { return nil }
    scheme = Substring(bytes[..<separator]).lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }

    let afterScheme = bytes[bytes.index(separator, offsetBy: 3)...]
    let withoutFragment = afterScheme.prefix { $0 != UInt8(ascii: "#") }
    let authority = withoutFragment.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    pathAndQuery = String(Substring(withoutFragment[authority.endIndex...]))

    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    userInfo = at.map { String(Substring(authority[..<$0])) }
    let hostAndPort = at.map { authority[authority.index(after: $0)...] } ?? authority
    let colon = hostAndPort.lastIndex(of: UInt8(ascii: ":"))
      .flatMap { hostAndPort[$0...].contains(UInt8(ascii: "]")) ? nil : $0 }
    writtenHost = Substring(hostAndPort[..<(colon ?? hostAndPort.endIndex)]).lowercased()
    host = writtenHost.hasSuffix(".") ? String(writtenHost.dropLast()) : writtenHost
    port = colon.map { String(Substring(hostAndPort[hostAndPort.index(after: $0)...])) }
  }

  private func spelled(_ host: String) -> String {
    var text = scheme + "://"
    if let userInfo { text += userInfo + "@" }
    text += host
    if let port, !port.isEmpty, port != defaultPort { text += ":" + port }
    return text + (pathAndQuery.hasPrefix("/") ? pathAndQuery : "/" + pathAndQuery)
  }

  package var normalized: String {
    let spelled = spelled(host)
    guard spelled.utf8.contains(UInt8(ascii: "%")) else { return spelled }
    var bytes = Array(spelled.utf8)
    for place in bytes.indices.dropLast(2) where bytes[place] == UInt8(ascii: "%") {
      guard bytes[place + 1].isHexDigit, bytes[place + 2].isHexDigit else { continue }
      for digit in [place + 1, place + 2] where bytes[digit] >= UInt8(ascii: "a") { bytes[digit] -= 0x20 }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Scheme, host and port: one server.
  package var origin: String {
    "\(scheme)://\(host):\(port.flatMap { $0.isEmpty ? nil : $0 } ?? defaultPort)"
  }

  var authority: String { writtenHost + (port.map { ":" + $0 } ?? "") }

  /// Without the query; at least `/`.
  package var path: String {
    let path = pathAndQuery.utf8.prefix { $0 != UInt8(ascii: "?") }
    return path.isEmpty ? "/" : String(Substring(path))
  }

  /// The query without its question mark; empty without a query.
  package var query: String {
    String(Substring(pathAndQuery.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
  }

  /// Whether the address is that of a site's home page.
  package var isRoot: Bool { path == "/" && query.isEmpty }

  private var defaultPort: String { scheme == "https" ? "443" : "80" }

  /// The normalized form of any text. Text that is not a web address is only trimmed, so that records of other
  /// tools can be compared.
  package static func normalized(_ text: String) -> String { normalized(text, as: WebAddress(text)) }

  /// - Parameter address: what the text is; it is only made where it is needed.
  static func normalized(_ text: String, as address: @autoclosure () -> WebAddress?) -> String {
    if text.isNormalizedAddress, !text.utf8.contains(UInt8(ascii: "%")) { return text }
    return address()?.normalized ?? String(Substring(text.utf8.trimmed))
  }

  /// As ``normalized(_:)``, but with percent escapes and the host's last dot as written: for requests, and for names that
  /// are derived from addresses, which must never change.
  package static func spelled(_ text: String) -> String {
    if text.isNormalizedAddress { return text }
    return WebAddress(text).map { $0.spelled($0.writtenHost) } ?? String(Substring(text.utf8.trimmed))
  }

  /// Why `text` is not a valid URL for the catalog, in one sentence without a full stop; `nil` if it is valid.
  ///
  /// Stricter than servers, because apps parse the text with their URL parser.
  package static func problem(with text: String) -> String? {
    if text.isPlainAddress { return nil }
    if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { return "the URL contains white space" }
    guard let address = WebAddress(text) else { return "the URL must start with http:// or https://" }
    return spellingProblem(with: text) ?? address.authorityProblem
  }

  /// The address with escapes for all that needs them, and without white space around it; `nil` where that does not make it
  /// valid.
  static func escaped(_ text: String) -> String? {
    let escaped = PercentEncoding.encode(text.trimmingWhitespace, except: \.isOfAddress)
    return escaped == text || problem(with: escaped) != nil ? nil : escaped
  }

  private static func spellingProblem(with text: String) -> String? {
    guard text.utf8.contains(where: { $0 > 0x7F || $0 == UInt8(ascii: "%") || $0.mustBeEncoded }) else {
      return nil
    }
    if text.utf8.contains(where: { $0 > 0x7F }) {
      return "the URL contains a letter outside ASCII: write it percent-encoded (or as punycode in the host)"
    }
    if let unsafe = text.utf8.first(where: \.mustBeEncoded) {
      return "the URL contains '\(Unicode.Scalar(unsafe))', which must be percent-encoded"
    }
    return text.utf8.indices.first { text.utf8[$0] == UInt8(ascii: "%") && !text.utf8.isEscape(at: $0) }.map {
      "the URL contains '\(text[$0...].prefix(3))', which is not a percent escape"
    }
  }

  private var authorityProblem: String? {
    if userInfo != nil { return "the URL contains a user name or password" }
    if host.isEmpty { return "the URL has no host" }
    let isAddress =
      host.hasPrefix("[") && host.hasSuffix("]") && host.contains(":")
      && host.dropFirst().dropLast().utf8.allSatisfy { $0.isHexDigit || $0 == 0x3A || $0 == 0x2E }
    guard isAddress || host.utf8.allSatisfy(\.isHostByte), !writtenHost.utf8.hasEmptyLabel else {
      return "'\(writtenHost)' is not a host name"
    }
    if let port, !port.isEmpty,
      !port.utf8.allSatisfy(\.isASCIIDigit) || !(1...65535).contains(Int(port) ?? 0)
    {
      return "'\(port)' is not a port"
    }
    return nil
  }
}

// Over the bytes where they are: catalogs hold many addresses, and a string's own indices take several times as long.

extension String {
  fileprivate var isNormalizedAddress: Bool {
    utf8.withContiguousStorageIfAvailable { $0.isNormalizedAddress } ?? false
  }

  fileprivate var isPlainAddress: Bool {
    utf8.withContiguousStorageIfAvailable { $0.isPlainAddress } ?? false
  }
}

extension BidirectionalCollection<UInt8> {
  /// Whether the text surely is an address in normalized form. Most addresses are, and then need no other text.
  fileprivate var isNormalizedAddress: Bool {
    guard starts(with: "https://".utf8) || starts(with: "http://".utf8), let last, last > 0x20 else {
      return false
    }
    let isSecure = self[index(startIndex, offsetBy: 4)] == UInt8(ascii: "s")
    let rest = dropFirst(isSecure ? 8 : 7)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return false }
    let host = rest[..<slash].prefix(while: \.isHostByte)
    let port = rest[host.endIndex..<slash]
    let hasOwnPort =
      port.count > 1 && port.first == UInt8(ascii: ":")
      && port.dropFirst().allSatisfy(\.isASCIIDigit)
      && !port.elementsEqual((isSecure ? ":443" : ":80").utf8)
    return !host.isEmpty && host.last != UInt8(ascii: ".") && (port.isEmpty || hasOwnPort)
      && !rest[slash...].contains(UInt8(ascii: "#"))
  }

  /// Whether the text surely is a valid address: most addresses of a catalog are, and need not be taken apart.
  fileprivate var isPlainAddress: Bool {
    guard isNormalizedAddress else { return false }
    // In a path, these are rare; before a host they are not allowed.
    let rest = drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    return rest.first != UInt8(ascii: ".") && !rest.contains { $0 == UInt8(ascii: ":") }
      && allSatisfy { $0.isOfAddress && $0 != UInt8(ascii: "%") }
      && !hasEmptyLabel
  }

  /// Whether the text begins with a dot, or has two in a row, as no host may.
  fileprivate var hasEmptyLabel: Bool {
    var previous = UInt8(ascii: ".")
    for byte in self {
      if byte == UInt8(ascii: "."), previous == byte { return true }
      previous = byte
    }
    return false
  }

  /// A percent sign with two hexadecimal digits.
  fileprivate func isEscape(at place: Index) -> Bool {
    let digits = self[place...].dropFirst().prefix(2)
    return digits.count == 2 && digits.allSatisfy(\.isHexDigit)
  }

  /// Without white space and control characters at either end.
  fileprivate var trimmed: SubSequence {
    let start = firstIndex { $0 > 0x20 } ?? endIndex
    let end = lastIndex { $0 > 0x20 }.map { index(after: $0) } ?? start
    return self[start..<end]
  }
}

extension UInt8 {
  fileprivate var isHostByte: Bool {
    isLowercaseLetterOrDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
      || self == UInt8(ascii: "_")
  }

  /// Whether an address may have the byte as it is.
  package var isOfAddress: Bool { self > 0x20 && self < 0x7F && !mustBeEncoded }

  /// Printable, but not a URL's (RFC 3986, section 2).
  fileprivate var mustBeEncoded: Bool {
    switch self {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "^"),
      UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      true
    default: false
    }
  }
}
