internal import Diagnostics

/// The names and values of a URL query or a form, in their order; a name may be repeated.
struct FormValues: Sendable, Hashable {
  /// A name with one value.
  private struct Item: Hashable {
    let name: String
    let value: String
  }

  private let items: [Item]

  init(_ text: some StringProtocol) {
    items = text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return Item(
        name: Self.decoded(parts[0], plusIsSpace: true),
        value: parts.count > 1 ? Self.decoded(parts[1], plusIsSpace: true) : "")
    }
  }

  /// The first value of a name.
  subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// All values of a name that are not empty.
  func all(_ name: String) -> [String] { items.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }

  /// A percent sign without two hexadecimal digits stays as it is; bytes that are not UTF-8 become U+FFFD.
  static func decoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
        rest.prefix(2).allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A value as part of a path or a query.
  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      byte.isASCIILetter || byte.isASCIIDigit || "-._".utf8.contains(byte)
        ? String(UnicodeScalar(byte))
        : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
