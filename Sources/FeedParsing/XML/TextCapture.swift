internal import FoundationEssentials
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

  /// Text that is not Base64 stays as it is; bytes that are not text go.
  private mutating func decode() {
    guard let decoded = Self.base64(captured) else { return }
    let isText = String(validating: decoded, as: UTF8.self) != nil
    _ = replace(with: isText ? Array(decoded) : [])
  }

  /// Base64 as used in Atom, with white space and both alphabets, and perhaps cut; `nil` when a byte is invalid.
  private static func base64(_ text: UnsafeBufferPointer<UInt8>) -> Data? {
    var plain = text.filter { !$0.isSpace && $0 != UInt8(ascii: "=") }.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    // One digit alone is less than a byte.
    if plain.count % 4 == 1 { plain.removeLast() }
    plain += repeatElement(UInt8(ascii: "="), count: (4 - plain.count % 4) % 4)
    return Data(base64Encoded: Data(plain))
  }

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
