internal import XMLReading

/// Resolves URL references against a base (RFC 3986, section 5) by text alone, which preserves unusual links.
enum URLResolver {
  static func isWebAddress(_ text: String) -> Bool { isWebAddress(text.utf8) }

  static func isWebAddress(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.startsIgnoringCase("http://") || bytes.startsIgnoringCase("https://")
  }

  /// The absolute form of `reference`; the reference itself when it is absolute or `base` is `nil`.
  static func resolve(_ reference: String, against base: BaseURL?) -> String {
    guard let base, !isWebAddress(reference), !hasScheme(reference) else { return reference }
    return base.resolve(reference)
  }

  static func hasScheme(_ text: String) -> Bool {
    guard text.utf8.first?.isLetter == true else { return false }
    for byte in text.utf8 {
      if byte == UInt8(ascii: ":") { return true }
      guard byte.isLetter || byte.isDigit || byte == 0x2B || byte == 0x2D || byte == 0x2E else {
        return false
      }
    }
    return false
  }
}

struct BaseURL: Sendable, Equatable {
  let address: String

  /// `nil` for a URL without a scheme.
  init?(_ address: String) {
    guard URLResolver.hasScheme(address) else { return nil }
    self.address = address
  }

  /// - Parameter reference: has no scheme.
  func resolve(_ reference: String) -> String {
    guard let first = reference.utf8.first else { return address }
    let parts = Parts(of: address)
    if reference.utf8.starts(with: "//".utf8) { return parts.scheme + reference }
    return switch first {
    case UInt8(ascii: "/"): parts.root + Self.normalized(reference)
    case UInt8(ascii: "?"): parts.root + parts.path + reference
    case UInt8(ascii: "#"): parts.root + parts.path + parts.query + reference
    default: parts.root + Self.normalized(parts.directory + reference)
    }
  }

  private struct Parts {
    /// `scheme:`
    let scheme: String
    /// `scheme://authority`
    let root: String
    let path: String
    /// `?query`
    let query: String

    init(of address: String) {
      let bytes = address.utf8.prefix { $0 != UInt8(ascii: "#") }
      let colon = bytes.firstIndex(of: UInt8(ascii: ":")).map(bytes.index(after:)) ?? bytes.startIndex
      let hasAuthority = bytes[colon...].starts(with: "//".utf8)
      let authority = hasAuthority ? bytes.index(colon, offsetBy: 2) : colon
      let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") }
      let rootEnd = hasAuthority ? bytes[authority...].firstIndex(where: isEnd) ?? bytes.endIndex : colon
      let pathEnd = bytes[rootEnd...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
      scheme = String(Substring(bytes[..<colon]))
      root = String(Substring(bytes[..<rootEnd]))
      path = String(Substring(bytes[rootEnd..<pathEnd]))
      query = String(Substring(bytes[pathEnd...]))
    }

    /// The path up to its last slash.
    var directory: String { path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "/" }
  }

  /// A path without dot segments (RFC 3986, section 5.2.4); query and fragment are unchanged.
  private static func normalized(_ text: String) -> String {
    let bytes = text.utf8
    let slash = UInt8(ascii: "/")
    let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard zip(path, path.dropFirst()).contains(where: { $0 == slash && $1 == UInt8(ascii: ".") }) else {
      return text
    }
    var segments: [Substring.UTF8View] = []
    let parts = path.split(separator: slash, omittingEmptySubsequences: false).dropFirst()
    for part in parts where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8) { _ = segments.popLast() } else { segments.append(part) }
    }
    let endsInDots = parts.last.map { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) } == true
    let tail = (endsInDots && !segments.isEmpty ? "/" : "") + Substring(bytes[path.endIndex...])
    return "/" + segments.map { String(Substring($0)) }.joined(separator: "/") + tail
  }
}

enum MarkupLinkResolver {
  /// The text with every relative `href` and `src` replaced by the result of `absolute`; all other bytes stay.
  /// `nil` if there is no link, as in nearly all texts.
  static func resolve(_ text: UnsafeBufferPointer<UInt8>, absolute: (String) -> String) -> [UInt8]? {
    var output: [UInt8] = []
    var copied = 0
    var index = 0
    while let open = text.index(of: UInt8(ascii: "<"), from: index) {
      index = open + 1
      while index < text.count, text[index] != UInt8(ascii: ">") {
        index += 1
        guard text[index - 1].isSpace, let value = linkValue(text, from: index) else { continue }
        index = value.upperBound
        let reference = UnsafeBufferPointer(rebasing: text[value]).trimmed
        guard !URLResolver.isWebAddress(reference) else { continue }
        output.append(contentsOf: text[copied..<value.lowerBound])
        output.append(contentsOf: absolute(String(decoding: reference, as: UTF8.self)).utf8)
        copied = value.upperBound
      }
    }
    guard copied > 0 else { return nil }
    output.append(contentsOf: text[copied...])
    return output
  }

  private static func linkValue(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
    let rest = UnsafeBufferPointer(rebasing: text[start...])
    guard let length = rest.startsIgnoringCase("href=") ? 5 : rest.startsIgnoringCase("src=") ? 4 : nil,
      rest.count > length
    else { return nil }
    let quote = rest[length]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    let value = start + length + 1
    guard let end = text.index(of: quote, from: value) else { return nil }
    return value..<end
  }
}
