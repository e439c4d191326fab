internal import LibXML2Shim

/// Reads the tags and texts of an HTML page as ``MarkupEvent`` values, with libxml2's HTML SAX parser
/// (Documentation/reference/curation.md#html-pages).
///
/// Element and attribute names are in lower case; an attribute without a value has an empty one. Comments, scripts,
/// styles and what ``unreadElements`` hold reach no receiver. The parser adds the tags that the page leaves out
/// (`html`, `head`, `body`, end tags), so every start has its end unless reading stops.
package struct HTMLReader: Sendable {
  /// Limits on one page. What lies beyond them is left unread; everything before was received.
  package struct Limits: Sendable {
    /// Bytes of the page in UTF-8.
    package var bytes = 4 << 20
    /// Nested elements.
    package var depth = 512
    /// Bytes of one tag.
    package var tag = 64 << 10
    /// Attributes of all tags.
    package var attributes = 250_000
    /// Distinct names of elements and attributes.
    package var names = 20_000
    /// Bytes of one text; the rest is dropped.
    package var text = 64 << 10

    package init() {}
  }

  package struct Outcome: Sendable, Equatable {
    /// ``XMLStatus/reading`` when the whole page was read, else the limit that ended it.
    package var status: XMLStatus
    package var encoding: EncodingLabel
    /// True when the page is longer than ``Limits/bytes``.
    package var isTruncated: Bool
  }

  /// Elements whose contents a browser shows as plain text, or not at all. `noscript` is not among them: its links
  /// are real.
  package static let unreadElements: Set<String> = [
    "script", "style", "template", "textarea", "iframe", "noembed", "noframes", "xmp", "plaintext", "select",
    "svg", "math",
  ]

  private let limits: Limits

  package init(limits: Limits = Limits()) { self.limits = limits }

  /// Reads a page in any encoding: that of its byte order mark, its `Content-Type`, its `meta` element, or else the
  /// one its bytes are valid in. The receiver returns what to do with an element at its start; other results are
  /// ignored.
  @discardableResult
  package func read(
    _ page: some Sequence<UInt8>, contentType: ContentType? = nil,
    _ receive: @escaping (MarkupEvent) -> XMLElementDecision
  ) -> Outcome {
    let bytes = Array(page)
    let (text, encoding) = HTMLTextCleaner.decode(bytes, contentType: contentType, upTo: limits.bytes)
    return read(prepared: text, encoding, receive)
  }

  /// Reads a page, or a part of one, that is text already: nothing in it declares an encoding.
  @discardableResult
  package func read(text: String, _ receive: @escaping (MarkupEvent) -> XMLElementDecision) -> Outcome {
    read(prepared: HTMLTextCleaner.prepare(text, upTo: limits.bytes), .utf8, receive)
  }

  private func read(
    prepared text: [UInt8], _ encoding: EncodingLabel,
    _ receive: @escaping (MarkupEvent) -> XMLElementDecision
  ) -> Outcome {
    let relay = HTMLEventAdapter(maxText: limits.text, receive)
    let status = withExtendedLifetime(relay) {
      text.withUnsafeBufferPointer { text in
        html_shim_read(relay.handlers, limits.shim, text.baseAddress, min(text.count, limits.bytes))
      }
    }
    relay.flush()
    return Outcome(
      status: XMLStatus(status), encoding: encoding, isTruncated: text.count > limits.bytes)
  }
}

extension HTMLReader.Limits {
  fileprivate var shim: xml_shim_limits {
    xml_shim_limits(tag: tag, depth: depth, attributes: attributes, namespaces: 0, names: names)
  }
}

/// Converts the HTML parser's callbacks to ``MarkupEvent`` values.
private final class HTMLEventAdapter {
  private var text: [UInt8] = []
  private let maxText: Int
  private var names: [String] = []
  /// How many elements are open below the first one that is not read, that one included.
  private var skipped = 0
  private let receive: (MarkupEvent) -> XMLElementDecision

  init(maxText: Int, _ receive: @escaping (MarkupEvent) -> XMLElementDecision) {
    self.maxText = maxText
    self.receive = receive
  }

  var handlers: html_shim_handlers {
    html_shim_handlers(
      user: Unmanaged.passUnretained(self).toOpaque(),
      start: { user, name, attributes in relay(user)?.start(name, attributes) ?? false },
      end: { relay($0)?.end() },
      text: { relay($0)?.append(UnsafeBufferPointer(start: $1, count: $2)) })
  }

  private func start(
    _ name: UnsafePointer<UInt8>, _ attributes: UnsafePointer<UnsafePointer<UInt8>?>?
  ) -> Bool {
    guard skipped == 0 else {
      skipped += 1
      return true
    }
    flush()
    let name = String(cString: name).lowercased()
    let interest: XMLElementDecision =
      HTMLReader.unreadElements.contains(name)
      ? .skip : receive(.start(name: name, attributes: Self.list(attributes)))
    switch interest {
    case .read: names.append(name)
    case .skip: skipped = 1
    case .stop: return false
    }
    return true
  }

  private func end() {
    guard skipped == 0 else {
      skipped -= 1
      return
    }
    flush()
    if let name = names.popLast() { _ = receive(.end(name: name)) }
  }

  private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard skipped == 0, text.count < maxText else { return }
    text.append(contentsOf: bytes.prefix(maxText - text.count))
  }

  func flush() {
    guard !text.isEmpty else { return }
    let piece = text.withUnsafeBufferPointer { $0.text }
    text.removeAll(keepingCapacity: true)
    _ = receive(.text(piece))
  }

  private static func list(_ raw: UnsafePointer<UnsafePointer<UInt8>?>?) -> [MarkupAttribute] {
    var list: [MarkupAttribute] = []
    guard var next = raw else { return list }
    while let name = next[0] {
      let value = next[1].map { start in
        var count = 0
        while start[count] != 0 { count += 1 }
        return UnsafeBufferPointer(start: start, count: count).trimmed.text
      }
      list.append(MarkupAttribute(String(cString: name).lowercased(), value ?? ""))
      next += 2
    }
    return list
  }
}

/// A free function, because a C function pointer cannot be made from a closure that captures anything.
private func relay(_ user: UnsafeMutableRawPointer?) -> HTMLEventAdapter? {
  user.map { Unmanaged<HTMLEventAdapter>.fromOpaque($0).takeUnretainedValue() }
}
