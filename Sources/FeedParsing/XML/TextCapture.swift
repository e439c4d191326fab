/// The text of the element being read, with any markup inside it written out again.
struct TextCapture {
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
  private var bytes: [UInt8] = []
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
    bytes.removeAll(keepingCapacity: true)
    divs.removeAll(keepingCapacity: true)
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    guard !isTruncated else { return }
    if tagIsOpen { closeTag() }
    if escapes { appendEscaped(text, quoted: false) } else { bytes.append(contentsOf: text) }
    guard bytes.count > limit else { return }
    isTruncated = true
    bytes.removeLast(bytes.count - limit)
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
    bytes.append(UInt8(ascii: "<"))
    bytes.append(contentsOf: name.utf8)
    attributes.forEach { name, value in
      bytes.append(contentsOf: " \(name)=\"".utf8)
      var value = value
      value.withUTF8 { appendEscaped($0, quoted: true) }
      bytes.append(UInt8(ascii: "\""))
    }
    tagIsOpen = true
  }

  mutating func close(_ name: String) {
    nested -= 1
    guard keepsMarkup, !isTruncated, divs.popLast() == false else { return }
    if tagIsOpen {
      bytes.append(contentsOf: Self.isVoid(name) ? " />".utf8 : "></\(name)>".utf8)
      tagIsOpen = false
    } else {
      bytes.append(contentsOf: "</\(name)>".utf8)
    }
  }

  /// Ends the capture and shows its text without white space around it.
  mutating func end<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    isActive = false
    if style == .base64, let decoded = Base64.decode(bytes), String(validating: decoded, as: UTF8.self) != nil
    {
      bytes = decoded
    }
    return bytes.withUnsafeBufferPointer { body($0.trimmed) }
  }

  private mutating func closeTag() {
    guard tagIsOpen else { return }
    bytes.append(UInt8(ascii: ">"))
    tagIsOpen = false
  }

  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, quoted: Bool) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
      case UInt8(ascii: "\"") where quoted: bytes.append(contentsOf: "&quot;".utf8)
      default: bytes.append(byte)
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
  static func decode(_ text: [UInt8]) -> [UInt8]? {
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
