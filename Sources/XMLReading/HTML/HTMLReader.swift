internal import LibXML2Shim

/// Reads the tags and texts of an HTML page as ``MarkupEvent`` values, with libxml2's HTML SAX parser
/// (Documentation/reference/curation.md#html-pages).
///
/// Element and attribute names are in lower case; an attribute without a value has an empty one. Comments, scripts,
/// styles and what ``unreadElements`` hold reach no receiver. The parser adds the tags that the page leaves out
/// (`html`, `head`, `body`, end tags), so every start has its end unless reading stops.
package struct HTMLReader: Sendable {
  /// Bytes of a page in UTF-8 that are read.
  package static let maxBytes = 4 << 20

  /// Limits on one page, in which more elements may be nested than in a feed.
  private static var limits: xml_shim_limits {
    xml_shim_limits(tag: 64 << 10, depth: 512, attributes: 250_000, namespaces: 0, names: 20_000)
  }

  /// Elements whose contents a browser shows as plain text, or not at all. `noscript` is not among them: its links
  /// are real.
  package static let unreadElements: Set<String> = [
    "script", "style", "template", "textarea", "iframe", "noembed", "noframes", "xmp", "plaintext", "select",
    "svg", "math",
  ]

  private let maxBytes: Int
  private let maxText: Int

  /// What lies beyond a limit is left unread; everything before was received.
  ///
  /// - Parameters:
  ///   - maxBytes: of the page in UTF-8.
  ///   - maxText: bytes of one text; the rest is dropped.
  package init(maxBytes: Int = Self.maxBytes, maxText: Int = 64 << 10) {
    self.maxBytes = maxBytes
    self.maxText = maxText
  }

  /// Reads a page in any encoding: that of its byte order mark, its `Content-Type`, its `meta` element, or else the
  /// one its bytes are valid in. The receiver returns what to do with an element at its start; other results are
  /// ignored.
  ///
  /// - Returns: ``XMLStatus/reading`` when all was read that ``maxBytes`` permits, else the limit that ended it.
  @discardableResult
  package func read(
    _ page: some Sequence<UInt8>, contentType: ContentType? = nil,
    _ receive: @escaping (MarkupEvent) -> XMLElementDecision
  ) -> XMLStatus {
    read(prepared: HTMLTextCleaner.decode(Array(page), contentType: contentType, upTo: maxBytes), receive)
  }

  /// Reads a page, or a part of one, that is text already: nothing in it declares an encoding.
  @discardableResult
  package func read(text: String, _ receive: @escaping (MarkupEvent) -> XMLElementDecision) -> XMLStatus {
    read(prepared: HTMLTextCleaner.prepare(text, upTo: maxBytes), receive)
  }

  private func read(
    prepared text: [UInt8], _ receive: @escaping (MarkupEvent) -> XMLElementDecision
  ) -> XMLStatus {
    let relay = HTMLEventAdapter(maxText: maxText, receive)
    let status = withExtendedLifetime(relay) {
      text.withUnsafeBufferPointer { text in
        html_shim_read(relay.handlers, Self.limits, text.baseAddress, min(text.count, maxBytes))
      }
    }
    relay.flush()
    return XMLStatus(status)
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
