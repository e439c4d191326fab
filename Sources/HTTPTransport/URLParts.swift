import CCurl
import CurlShim

/// The parts of a URL that a transport needs, from libcurl's own parser, so that both always agree.
package struct URLParts: Sendable, Hashable {
  /// `http` or `https`.
  package let scheme: String
  /// In lower case, without brackets; an international name in its ASCII spelling, where libcurl can convert it.
  package let host: String
  package let port: Int
  /// Normalized, without fragment and user information.
  package let text: String
  package let hasUserInfo: Bool

  /// `nil` unless the text, resolved against `base`, is an absolute `http` or `https` URL.
  package init?(_ text: String, relativeTo base: String? = nil) {
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    guard let handle = curl_url() else { return nil }
    defer { curl_url_cleanup(handle) }
    let flags = UInt32(CURLU_URLENCODE)
    if let base, curl_url_set(handle, CURLUPART_URL, base, flags) != CURLUE_OK { return nil }
    // libcurl writes a space in a query as a plus sign, which some servers read as one.
    let spelled = (text.utf8.contains(0x20) ? text.trimmingSpaces.replacing(" ", with: "%20") : text)
      .escapedAfterHost
    guard curl_url_set(handle, CURLUPART_URL, spelled, flags) == CURLUE_OK else { return nil }
    hasUserInfo = [CURLUPART_USER, CURLUPART_PASSWORD].contains { Self.part($0, of: handle) != nil }
    for part in [CURLUPART_FRAGMENT, CURLUPART_USER, CURLUPART_PASSWORD] {
      curl_url_set(handle, part, nil, 0)
    }
    guard let scheme = Self.part(CURLUPART_SCHEME, of: handle), scheme == "http" || scheme == "https",
      let host = Self.spelledInASCII(CURLUPART_HOST, of: handle), !host.isEmpty,
      let port = Self.part(CURLUPART_PORT, of: handle, UInt32(CURLU_DEFAULT_PORT)).flatMap({ Int($0) }),
      let url = Self.spelledInASCII(CURLUPART_URL, of: handle)
    else { return nil }
    self.scheme = scheme
    self.host = (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host).lowercased()
    self.port = port
    self.text = url
  }

  /// Without the query; at least `/`.
  package var path: String {
    let rest = text.utf8.dropFirst(scheme.utf8.count + "://".utf8.count)
    let path = rest.drop { !"/?".utf8.contains($0) }.prefix { $0 != UInt8(ascii: "?") }
    return path.isEmpty ? "/" : String(Substring(path))
  }

  /// Scheme, host and port: the scope of credentials.
  package var origin: String { "\(scheme)://\(host):\(port)" }

  /// The host is this machine: what is sent there never leaves it. Names are not looked up: `localhost` alone counts,
  /// which libcurl knows by itself.
  package var isLoopback: Bool {
    host == "localhost" || IPNetwork(host)?.isOfThisMachine == true
  }

  /// A libcurl without a library for international names, such as macOS's own, cannot convert one: it stays as it is.
  private static func spelledInASCII(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
    let plain = Self.part(part, of: handle)
    guard plain?.utf8.allSatisfy({ $0 < 0x80 }) == false,
      let text = curl_shim_url_part_in_ascii(handle, part)
    else { return plain }
    defer { curl_free(text) }
    return String(cString: text)
  }

  private static func part(_ part: CURLUPart, of handle: OpaquePointer, _ flags: UInt32 = 0) -> String? {
    guard let text = curl_shim_url_part(handle, part, flags) else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}

extension String {
  /// With bytes beyond ASCII as escapes in upper case, which libcurl would write in lower case; a host keeps its letters.
  fileprivate var escapedAfterHost: String {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
    let slashes = firstRange(of: "//").flatMap {
      self[..<$0.lowerBound].contains { "/?#".contains($0) } ? nil : $0
    }
    let host =
      slashes.map { self[..<$0.upperBound] + self[$0.upperBound...].prefix { !"/?#".contains($0) } } ?? ""
    return utf8.dropFirst(host.utf8.count).reduce(into: String(host)) { text, byte in
      if byte < 0x80 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  fileprivate var trimmingSpaces: String {
    let start = drop { $0 == " " }
    return String(start.lastIndex { $0 != " " }.map { start[...$0] } ?? "")
  }
}
