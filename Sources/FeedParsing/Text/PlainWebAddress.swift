internal import XMLReading

/// Web addresses that every reader of URLs understands in the same way
/// (Documentation/reference/articles.md#addresses-in-articles).
///
/// Browsers read addresses by the URL Standard of the WHATWG, other programs by RFC 3986. An address that leads to one
/// host by the first and to another by the second is none here.
package enum PlainWebAddress {
  /// Whether an absolute http or https address has only one reading.
  package static func isPlain(_ address: String) -> Bool {
    let bytes = address.utf8
    guard URLResolver.isWebAddress(bytes), let start = bytes.firstIndex(of: UInt8(ascii: "/")),
      !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F })
    else { return false }
    let rest = address[bytes.index(start, offsetBy: 2)...]
    // Browsers take a backslash for a slash.
    guard !rest.prefix(while: { $0 != "?" && $0 != "#" }).utf8.contains(UInt8(ascii: "\\")) else {
      return false
    }
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return isHostAndPort(authority) && !hasHiddenDots(rest[authority.endIndex...])
  }

  /// Whether browsers resolve a reference as RFC 3986 does. White space at its ends does not count.
  static func isPlainReference(_ reference: String) -> Bool {
    let path = reference.prefix { $0 != "?" && $0 != "#" }
    guard !reference.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }),
      !path.utf8.contains(UInt8(ascii: "\\"))
    else { return false }
    // `https:page` is relative for browsers, and `///host` leads to that host.
    let isWithoutHost = (["http:", "https:"] as [StaticString]).contains {
      reference.utf8.startsIgnoringCase($0)
    }
    return !reference.hasPrefix("///") && (!isWithoutHost || URLResolver.isWebAddress(reference))
  }

  // MARK: The host

  private static func isHostAndPort(_ authority: Substring) -> Bool {
    // A name and a password before the host.
    guard !authority.contains("@") else { return false }
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      return isIPv6(authority[authority.index(after: authority.startIndex)..<end])
        && isPort(authority[authority.index(after: end)...])
    }
    let host = authority.prefix { $0 != ":" }
    return isName(host) && isPort(authority[host.endIndex...])
  }

  private static func isPort(_ text: Substring) -> Bool {
    guard !text.isEmpty else { return true }
    return text.first == ":" && text.dropFirst().utf8.allSatisfy(\.isDigit)
      && (text.count == 1 || UInt16(text.dropFirst()) != nil)
  }

  private static func isName(_ host: Substring) -> Bool {
    guard !host.isEmpty, host.unicodeScalars.allSatisfy(isHostCharacter) else { return false }
    var labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let endsInDot = labels.count > 1 && labels.last?.isEmpty == true
    if endsInDot { labels.removeLast() }
    guard !labels.contains(where: \.isEmpty), let last = labels.last else { return false }
    return !isNumber(last) || !endsInDot && isIPv4(labels)
  }

  /// Other characters are mapped to these before a name is looked up, such as wide digits, or are refused.
  private static func isHostCharacter(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      return byte.isLetter || byte.isDigit || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }
    let properties = scalar.properties
    let isWord =
      properties.isAlphabetic || properties.numericType != nil
      || properties.canonicalCombiningClass != .notReordered
    return isWord
      && properties.lowercaseMapping.unicodeScalars.allSatisfy { !$0.properties.changesWhenNFKCCaseFolded }
  }

  /// What the URL Standard takes for the end of an IPv4 address.
  private static func isNumber(_ label: Substring) -> Bool {
    label.utf8.allSatisfy(\.isDigit)
      || label.utf8.startsIgnoringCase("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)
  }

  private static func isIPv4(_ labels: [Substring]) -> Bool {
    labels.count == 4 && labels.allSatisfy { label in UInt8(label).map { String($0) == label } ?? false }
  }

  private static func isIPv6(_ text: Substring) -> Bool {
    let halves = String(text).split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return false }
    let groups = halves.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
    let written = groups.flatMap { $0.count == 1 && $0[0].isEmpty && halves.count == 2 ? [] : $0 }
    return (halves.count == 2 ? written.count < 8 : written.count == 8)
      && written.allSatisfy { (1...4).contains($0.count) && $0.allSatisfy(\.isHexDigit) }
  }

  /// Browsers read `%2e%2e` as two dots, which lead to the folder above.
  private static func hasHiddenDots(_ path: Substring) -> Bool {
    path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").contains { segment in
      segment.contains("%") && [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
    }
  }
}
