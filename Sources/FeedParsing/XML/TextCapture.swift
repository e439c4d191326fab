internal import LibXML2Shim

/// The text of the element being read, with any markup inside it written out again. libxml2's handlers put plain
/// text there by themselves.
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
  /// Elements open inside the captured one.
  private(set) var nested = 0
  private var style = Style.text
  private var keepsMarkup = false
  /// Where the text ended after the last start tag: an element that ends there is empty.
  private var tagEnd = 0
  /// Names of the elements open inside the captured one; empty for one that is not written.
  private var names: [String] = []

  init(limit: Int) {
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
    text.pointee.bytes.count = 0
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

  /// Ends the capture. Its text, without white space around it, is good until the next capture begins.
  @inline(__always) mutating func end() -> UnsafeBufferPointer<UInt8> {
    text.pointee.mode = feed_text_ignored
    if style == .base64, let decoded = Base64.decode(bytes), String(validating: decoded, as: UTF8.self) != nil
    {
      text.pointee.bytes.count = 0
      decoded.withUnsafeBufferPointer { feed_text_append(text, $0.baseAddress, $0.count) }
    }
    return bytes.trimmed
  }

  private var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text.pointee.bytes.base, count: text.pointee.bytes.count)
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
