/// Percent escapes of URLs (RFC 3986, section 2.1).
public enum PercentEncoding {
  /// Leaves only the characters that never need an escape: letters, digits and `-._~`. The tokens of a web session hold
  /// `+`, `/` and `=`, which must all be escaped (Documentation/reference/web-services.md#api-tokens-and-users).
  public static func encode(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      if byte.isUnreserved {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let hex = String(byte, radix: 16, uppercase: true)
        result += byte < 16 ? "%0" + hex : "%" + hex
      }
    }
    return result
  }

  /// `nil` when an escape is incomplete or the bytes are not UTF-8.
  public static func decode(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The items of a query string; one whose escapes are broken is left out.
  public static func queryItems(_ query: String) -> [String: String] {
    var items: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decode(parts[0]), let value = decode(parts.count > 1 ? parts[1] : "") else { continue }
      items[name] = value
    }
    return items
  }
}

extension UInt8 {
  fileprivate var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  fileprivate var hexValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
