/// Percent escapes of URLs (RFC 3986, section 2.1).
package enum PercentEncoding {
  /// Escapes all bytes but those that never need it: letters, digits and `-._~`. The tokens of a web session hold `+`, `/`
  /// and `=`, which must all be escaped (Documentation/reference/web-services.md#api-tokens-and-users).
  ///
  /// - Parameter isPlain: the bytes that stay, where others than those may.
  package static func encode(_ text: String, except isPlain: (UInt8) -> Bool = \.isUnreserved) -> String {
    text.utf8.reduce(into: "") { result, byte in
      if isPlain(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  /// `nil` when an escape is incomplete or the bytes are not UTF-8.
  package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    let (bytes, isWhole) = bytes(of: text, plusIsSpace: plusIsSpace)
    return isWhole ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// A percent sign without two hexadecimal digits stays as it is; bytes that are not UTF-8 become U+FFFD.
  ///
  /// - Parameter plusIsSpace: as in the values of a form.
  package static func decodeAny(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
    String(decoding: bytes(of: text, plusIsSpace: plusIsSpace).bytes, as: UTF8.self)
  }

  private static func bytes(of text: some StringProtocol, plusIsSpace: Bool) -> (
    bytes: [UInt8], isWhole: Bool
  ) {
    var (bytes, isWhole) = ([UInt8](), true)
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "%") {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      } else if rest.count >= 2, rest.prefix(2).allSatisfy(\.isHexDigit),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
        isWhole = false
      }
    }
    return (bytes, isWhole)
  }

  /// The items of a query string, in which `+` is a space; one whose escapes are broken is left out.
  package static func queryItems(_ query: String) -> [String: String] {
    var items: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { decode($0, plusIsSpace: true) }
      guard let name = parts[0], let value = parts.count > 1 ? parts[1] : "" else { continue }
      items[name] = value
    }
    return items
  }
}
