internal import XMLReading

/// The text of the element being read, with any markup inside it written out again. The parser appends plain text by
/// itself. Each text is read behind the texts kept so far, where it stays when it is kept.
struct TextCapture: ~Copyable {
  enum Style {
    /// Escaped or plain text. Elements inside are markup that should have been escaped.
    case text
    /// Markup: characters are escaped, and an enclosing `div` is dropped (RFC 4287, section 3.1.1.3).
    case xhtml
    case base64
  }

  private(set) var text: ElementTextBuffer
  /// How many bytes are kept; the bytes after them belong to the current capture.
  private(set) var kept = 0
  private let limit: Int
  private(set) var nested = 0
  private(set) var hasElements = false
  private var style = Style.text
  private var keepsMarkup = false
  /// The end of the last start tag; an element that ends there is empty.
  private var tagEnd = 0
  /// The names of the elements open inside the captured one; empty for an element that is not written.
  private var names: [String] = []

  init(limit: Int) {
    self.limit = limit
    text = ElementTextBuffer(limit: limit)
  }

  var isActive: Bool { !text.isIgnored }
  var isTruncated: Bool { text.isTruncated }

  mutating func begin(_ style: Style = .text, keepsMarkup: Bool) {
    nested = 0
    hasElements = false
    self.style = style
    self.keepsMarkup = keepsMarkup
    text.setMode(style == .xhtml ? .escaped : .plain)
    text.restart(at: kept, limit: limit)
    if !names.isEmpty { names.removeAll(keepingCapacity: true) }
  }

  mutating func open(_ element: XMLElement) {
    nested += 1
    hasElements = true
    guard keepsMarkup, !isTruncated else { return }
    let name = element.markupName
    // RFC 4287, section 3.1.1.3: the outermost div is not part of the content.
    let isWrapper = style == .xhtml && nested == 1 && name == "div"
    names.append(isWrapper ? "" : name)
    text.setMode(.escaped)
    guard !isWrapper else { return }
    append("<\(name)")
    element.forEachNamespace { append($0, $1) }
    element.attributes.forEach { append($0, $1) }
    append(">")
    tagEnd = text.count
  }

  mutating func close() {
    nested -= 1
    guard keepsMarkup, !isTruncated, let name = names.popLast(), !name.isEmpty else { return }
    if text.count == tagEnd, Self.isVoid(name) {
      text.truncate(to: tagEnd - 1)
      append(" />")
    } else {
      append("</\(name)>")
    }
  }

  private mutating func append(_ name: String, _ value: String) {
    append(" \(name)=\"")
    var value = value
    value.withUTF8 { text.appendAttributeValue($0) }
    append("\"")
  }

  /// Ends the capture and returns its text without white space at the ends, valid until the next capture begins or a
  /// text is kept.
  mutating func end() -> UnsafeBufferPointer<UInt8> {
    text.setMode(.ignored)
    if style == .base64 { decode() }
    return captured
  }

  mutating func replace(with other: [UInt8]) -> UnsafeBufferPointer<UInt8> {
    text.truncate(to: kept)
    other.withUnsafeBufferPointer { text.appendUnlimited($0) }
    return captured
  }

  private mutating func decode() {
    guard let decoded = Base64.decode(captured), String(validating: decoded, as: UTF8.self) != nil else {
      return
    }
    _ = replace(with: decoded)
  }

  /// The captured text without white space at its ends.
  private var captured: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: text.bytes[kept...]).trimmed
  }

  // MARK: Keeping

  /// Keeps the captured text, without copying it.
  mutating func keep() -> TextSpan {
    let captured = captured
    guard let start = captured.baseAddress, let base = text.bytes.baseAddress else { return .none }
    kept = start - base + captured.count
    return TextSpan(start - base..<kept)
  }

  /// Keeps another text and drops the captured one.
  mutating func add(_ other: String?) -> TextSpan {
    guard var other else { return .none }
    let start = kept
    text.truncate(to: start)
    other.withUTF8 { text.appendUnlimited($0) }
    kept = text.count
    return TextSpan(start..<kept)
  }

  /// Valid until the next capture or text.
  func bytes(_ span: TextSpan) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: text.bytes[span.range])
  }

  /// Drops all texts after `count` bytes.
  mutating func drop(after count: Int) { kept = count }

  /// Returns all kept texts; the capture is then empty.
  mutating func take() -> ByteBuffer {
    text.truncate(to: kept)
    kept = 0
    return text.take()
  }

  private mutating func append(_ string: String) {
    var string = string
    string.withUTF8 { text.append($0) }
  }

  private static func isVoid(_ name: String) -> Bool {
    ["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
      .contains(name)
  }
}

/// Base64 as used in Atom, with white space and both alphabets.
enum Base64 {
  /// Returns `nil` when a byte is invalid.
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
