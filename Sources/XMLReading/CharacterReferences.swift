internal import LibXML2Shim

/// Character and entity references in attribute values, which libxml2 does not resolve.
package enum CharacterReferences {
  /// Replaces every reference once; an ampersand that begins none stays.
  package static func resolve(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let rest = UnsafeBufferPointer(rebasing: bytes[index...])
      if bytes[index] == UInt8(ascii: "&"), let (text, length) = reference(rest) {
        output.append(contentsOf: text.utf8)
        index += length
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  package static func resolve(_ text: String) -> String { Array(text.utf8).withUnsafeBufferPointer(resolve) }

  /// The text that the reference at the start of the bytes resolves to, and its length including `&` and `;`.
  static func reference(_ bytes: UnsafeBufferPointer<UInt8>) -> (text: String, length: Int)? {
    guard let end = bytes.prefix(40).firstIndex(of: UInt8(ascii: ";")), end > 1 else { return nil }
    let body = bytes[1..<end]
    guard body.first == UInt8(ascii: "#") else {
      let entity = HTMLEntities.table[String(decoding: body, as: UTF8.self)]
      return entity.map { (String(cString: $0.text), end + 1) }
    }
    guard let value = number(body.dropFirst()) else { return nil }
    guard value >> 10 == 0x36 else { return scalar(value).map { (String(Character($0)), end + 1) } }
    // Some programs write a character above U+FFFF as two references, one for each half of its UTF-16 form.
    let rest = bytes[(end + 1)...].prefix(40)
    guard rest.starts(with: "&#".utf8), let last = rest.firstIndex(of: UInt8(ascii: ";")),
      let low = number(rest[(end + 3)..<last]), low >> 10 == 0x37
    else { return nil }
    return scalar(0x10000 + (value & 0x3FF) << 10 + low & 0x3FF).map { (String(Character($0)), last + 1) }
  }

  /// The length of the numeric reference at the start of the bytes, whether the character exists or not.
  static func numericLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard bytes.count > 3, bytes[1] == UInt8(ascii: "#"),
      let end = bytes.prefix(40).firstIndex(of: UInt8(ascii: ";")), end > 2
    else { return nil }
    let isHex = bytes[2] | 0x20 == UInt8(ascii: "x")
    let digits = bytes[(isHex ? 3 : 2)..<end]
    guard !digits.isEmpty, digits.allSatisfy({ $0.isDigit || isHex && (0x61...0x66).contains($0 | 0x20) })
    else { return nil }
    return end + 1
  }

  /// The number of `65` or `x41`.
  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
    let text = String(decoding: digits, as: UTF8.self).lowercased()
    return text.hasPrefix("x") ? UInt32(text.dropFirst(), radix: 16) : UInt32(text)
  }

  /// `nil` for a character that XML forbids.
  private static func scalar(_ value: UInt32) -> Unicode.Scalar? {
    value >= 0x20 || value == 9 || value == 10 || value == 13 ? Unicode.Scalar(value) : nil
  }
}

/// The named characters of HTML 4, which XML documents use without declaring them, from libxml2's table; among them XML's
/// own five.
enum HTMLEntities {
  static let table: [String: EntityText] = Dictionary(
    uniqueKeysWithValues: (firstCode...lastCode).compactMap { code in
      xml_shim_html_entity(code).flatMap { name in
        Unicode.Scalar(code).map { (String(cString: name), EntityText(String(Character($0)))) }
      }
    })

  /// The codes of `quot` and `diams`.
  private static let (firstCode, lastCode): (UInt32, UInt32) = (34, 9830)
}
