/// Addresses: resolution of references against a base (RFC 3986, section 5), on the text alone.
enum Link {
  static func isWebAddress(_ text: String) -> Bool {
    text.utf8.startsIgnoringCase("http://") || text.utf8.startsIgnoringCase("https://")
  }

  /// The absolute form of `reference`; the reference itself when it is absolute or there is no base.
  static func resolve(_ reference: String, against base: String?) -> String {
    if isWebAddress(reference) { return reference }
    guard let base, let parts = Parts(base), !hasScheme(reference) else { return reference }
    if reference.isEmpty { return base }
    if reference.hasPrefix("//") { return parts.scheme + reference }
    let root = parts.scheme + parts.authority
    switch reference.utf8.first {
    case UInt8(ascii: "/"): return root + normalised(reference)
    case UInt8(ascii: "?"): return root + parts.path + reference
    case UInt8(ascii: "#"): return root + parts.path + parts.query + reference
    default: return root + normalised(parts.directory + reference)
    }
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard text.utf8.first?.isLetter == true else { return false }
    for byte in text.utf8 {
      if byte == UInt8(ascii: ":") { return true }
      guard byte.isLetter || byte.isDigit || byte == 0x2B || byte == 0x2D || byte == 0x2E else {
        return false
      }
    }
    return false
  }

  /// An absolute address taken apart: `scheme:` `//authority` `/path` `?query`.
  private struct Parts {
    let scheme: String
    let authority: String
    let path: String
    let query: String

    init?(_ address: String) {
      guard let colon = address.firstIndex(of: ":"), hasScheme(address) else { return nil }
      scheme = String(address[...colon])
      var rest = address[address.index(after: colon)...]
      rest = rest.prefix { $0 != "#" }
      if rest.hasPrefix("//") {
        let end = rest.dropFirst(2).firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        authority = String(rest[..<end])
        rest = rest[end...]
      } else {
        authority = ""
      }
      let end = rest.firstIndex(of: "?") ?? rest.endIndex
      path = String(rest[..<end])
      query = String(rest[end...])
    }

    var directory: String {
      guard let slash = path.lastIndex(of: "/") else { return "/" }
      return String(path[...slash])
    }
  }

  /// A path without its dot segments (section 5.2.4); query and fragment are left alone.
  private static func normalised(_ text: String) -> String {
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    let path = text[..<end]
    guard path.contains("/.") else { return text }
    var segments: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for part in parts {
      switch part {
      case ".": continue
      case "..": _ = segments.popLast()
      default: segments.append(part)
      }
    }
    let endsInDots = parts.last == "." || parts.last == ".."
    return "/" + segments.joined(separator: "/") + (endsInDots && !segments.isEmpty ? "/" : "") + text[end...]
  }
}
