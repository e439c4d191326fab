internal import LibXML2Shim

/// The text of the element being read, with any markup inside it written out again. libxml2's handlers put plain
/// text there by themselves. It is read at the end of the texts kept so far, where it stays if it is kept, too.
struct TextCapture: ~Copyable {
  /// How the text of a construct is written.
  enum Style {
    /// Escaped or plain text; elements inside are markup that should have been escaped.
    case text
    /// Markup is the text: characters are escaped, an enclosing `div` is dropped (RFC 4287, section 3.1.1.3).
    case xhtml
    case base64
  }

  let text: UnsafeMutablePointer<feed_text>
  /// How many bytes are kept: what is behind them belongs to the capture.
  private(set) var kept = 0
  private let limit: Int
  /// Elements open inside the captured one.
  private(set) var nested = 0
  private var style = Style.text
  private var keepsMarkup = false
  /// Where the text ended after the last start tag: an element that ends there is empty.
  private var tagEnd = 0
  /// Names of the elements open inside the captured one; empty for one that is not written.
  private var names: [String] = []

  init(limit: Int) {
    self.limit = limit
    text = .allocate(capacity: 1)
    text.initialize(
      to: feed_text(bytes: feed_bytes(), mode: feed_text_ignored, limit: limit, truncated: false))
  }

  deinit {
    feed_bytes_release(&text.pointee.bytes)
    text.deallocate()
  }

  var isActive: Bool { text.pointee.mode != feed_text_ignored }
  var isTruncated: Bool { text.pointee.truncated }

  @inline(__always) mutating func begin(_ style: Style = .text, keepsMarkup: Bool) {
    nested = 0
    self.style = style
    self.keepsMarkup = keepsMarkup
    text.pointee.mode = style == .xhtml ? feed_text_escaped : feed_text_plain
    text.pointee.truncated = false
    text.pointee.bytes.count = kept
    text.pointee.limit = kept + limit
    if !names.isEmpty { names.removeAll(keepingCapacity: true) }
  }

  mutating func open(_ element: Element) {
    nested += 1
    guard keepsMarkup, !isTruncated else { return }
    let name = element.markupName
    // RFC 4287: the outermost div of an xhtml construct is not part of its content.
    let isWrapper = style == .xhtml && nested == 1 && name == "div"
    names.append(isWrapper ? "" : name)
    text.pointee.mode = feed_text_escaped
    guard !isWrapper else { return }
    append("<\(name)")
    element.forEachNamespace { append($0, $1) }
    element.attributes.forEach { append($0, $1) }
    append(">")
    tagEnd = text.pointee.bytes.count
  }

  mutating func close() {
    nested -= 1
    guard keepsMarkup, !isTruncated, let name = names.popLast(), !name.isEmpty else { return }
    if text.pointee.bytes.count == tagEnd, Self.isVoid(name) {
      text.pointee.bytes.count -= 1
      append(" />")
    } else {
      append("</\(name)>")
    }
  }

  private func append(_ name: String, _ value: String) {
    append(" \(name)=\"")
    var value = value
    value.withUTF8 { feed_text_append_escaped(text, $0.baseAddress, $0.count, true) }
    append("\"")
  }

  /// Ends the capture. Its text, without white space around it, is good until the next capture begins or a text is
  /// kept.
  @inline(__always) mutating func end() -> UnsafeBufferPointer<UInt8> {
    text.pointee.mode = feed_text_ignored
    if style == .base64 { decode() }
    return captured
  }

  /// Puts another text in the place of the one that was captured.
  mutating func replace(with other: [UInt8]) -> UnsafeBufferPointer<UInt8> {
    text.pointee.bytes.count = kept
    other.withUnsafeBufferPointer { feed_bytes_append(&text.pointee.bytes, $0.baseAddress, $0.count) }
    return captured
  }

  private mutating func decode() {
    guard let decoded = Base64.decode(captured), String(validating: decoded, as: UTF8.self) != nil else {
      return
    }
    _ = replace(with: decoded)
  }

  /// The text without white space around it.
  private var captured: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: all[kept...]).trimmed
  }

  private var all: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text.pointee.bytes.base, count: text.pointee.bytes.count)
  }

  // MARK: Keeping

  /// Keeps what was captured. Nothing is copied.
  mutating func keep() -> TextSpan {
    let text = captured
    guard let start = text.baseAddress, let base = all.baseAddress else { return .none }
    kept = start - base + text.count
    return TextSpan(start - base..<kept)
  }

  /// Keeps some other text; what was captured is gone.
  mutating func add(_ other: String?) -> TextSpan {
    guard var other else { return .none }
    let start = kept
    text.pointee.bytes.count = start
    other.withUTF8 { feed_bytes_append(&text.pointee.bytes, $0.baseAddress, $0.count) }
    kept = text.pointee.bytes.count
    return TextSpan(start..<kept)
  }

  /// Good until the next capture or text.
  func bytes(_ span: TextSpan) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: all[span.range])
  }

  /// Forgets what was kept beyond so many bytes.
  mutating func forget(after count: Int) { kept = count }

  /// All that was kept, which is then no longer here.
  mutating func take() -> ByteBuffer {
    text.pointee.bytes.count = kept
    defer { text.pointee.bytes = feed_bytes() }
    kept = 0
    return ByteBuffer(owning: text.pointee.bytes)
  }

  private func append(_ string: String) {
    var string = string
    string.withUTF8 { feed_text_append(text, $0.baseAddress, $0.count) }
  }

  private static func isVoid(_ name: String) -> Bool {
    ["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
      .contains(name)
  }
}
