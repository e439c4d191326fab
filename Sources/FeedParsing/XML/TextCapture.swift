/// The text of the element being read, with any markup inside it written out again.
struct TextCapture: ~Copyable {
  /// How the text of a construct is written.
  enum Style {
    /// Escaped or plain text; elements inside are markup that should have been escaped.
    case text
    /// Markup is the text: characters are escaped, an enclosing `div` is dropped (RFC 4287, section 3.1.1.3).
    case xhtml
    case base64
  }

  private(set) var isActive = false
  /// Elements open inside the captured one.
  private(set) var nested = 0
  private(set) var isTruncated = false
  private let limit: Int
  private var style = Style.text
  private var keepsMarkup = false
  private var escapes = false
  private var buffer = ByteBuffer()
  /// Set while the last thing written is a start tag without its `>`.
  private var tagIsOpen = false
  private var divs: [Bool] = []

  init(limit: Int) { self.limit = limit }

  mutating func begin(_ style: Style = .text, keepsMarkup: Bool) {
    isActive = true
    nested = 0
    isTruncated = false
    self.style = style
    self.keepsMarkup = keepsMarkup
    escapes = style == .xhtml
    tagIsOpen = false
    buffer.removeAll()
    if !divs.isEmpty { divs.removeAll(keepingCapacity: true) }
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    guard !isTruncated else { return }
    if tagIsOpen { closeTag() }
    if escapes { appendEscaped(text, quoted: false) } else { buffer.append(text) }
    guard buffer.count > limit else { return }
    isTruncated = true
    buffer.removeLast(buffer.count - limit)
  }

  mutating func open(_ name: String, _ attributes: Attributes) {
    nested += 1
    guard keepsMarkup, !isTruncated else { return }
    // RFC 4287: the outermost div of an xhtml construct is not part of its content.
    let isWrapper = style == .xhtml && nested == 1 && name.hasSuffix("div")
    divs.append(isWrapper)
    closeTag()
    escapes = true
    guard !isWrapper else { return }
    buffer.append(UInt8(ascii: "<"))
    buffer.append(name)
    attributes.forEach { name, value in
      buffer.append(" \(name)=\"")
      var value = value
      value.withUTF8 { appendEscaped($0, quoted: true) }
      buffer.append(UInt8(ascii: "\""))
    }
    tagIsOpen = true
  }

  mutating func close(_ name: String) {
    nested -= 1
    guard keepsMarkup, !isTruncated, divs.popLast() == false else { return }
    if tagIsOpen {
      buffer.append(Self.isVoid(name) ? " />" : "></\(name)>")
      tagIsOpen = false
    } else {
      buffer.append("</\(name)>")
    }
  }

  /// Ends the capture. Its text, without white space around it, is good until the next capture begins.
  mutating func end() -> UnsafeBufferPointer<UInt8> {
    isActive = false
    if style == .base64, let decoded = Base64.decode(buffer.bytes),
      String(validating: decoded, as: UTF8.self) != nil
    {
      buffer.removeAll()
      decoded.withUnsafeBufferPointer { buffer.append($0) }
    }
    return buffer.bytes.trimmed
  }

  private mutating func closeTag() {
    guard tagIsOpen else { return }
    buffer.append(UInt8(ascii: ">"))
    tagIsOpen = false
  }

  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, quoted: Bool) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): buffer.append("&amp;" as StaticString)
      case UInt8(ascii: "<"): buffer.append("&lt;" as StaticString)
      case UInt8(ascii: ">"): buffer.append("&gt;" as StaticString)
      case UInt8(ascii: "\"") where quoted: buffer.append("&quot;" as StaticString)
      default: buffer.append(byte)
      }
    }
  }

  private static func isVoid(_ name: String) -> Bool {
    ["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
      .contains(name)
  }
}

/// Base64 as Atom carries it: white space is skipped.
enum Base64 {
  /// `nil` when a byte does not belong.
  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in text where !byte.isSpace && byte != UInt8(ascii: "=") {
      guard let value = value(of: byte) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return output
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case 0x41...0x5A: UInt32(byte - 0x41)
    case 0x61...0x7A: UInt32(byte - 0x61 + 26)
    case 0x30...0x39: UInt32(byte - 0x30 + 52)
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
