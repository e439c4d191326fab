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
    let relay = MarkupRelay(maxText: maxText) { event, _ in
      if case .start(let name, _) = event, Self.unreadElements.contains(name) { return .skip }
      return receive(event)
    }
    let status = withExtendedLifetime(relay) {
      text.withUnsafeBufferPointer { text in
        html_shim_read(relay.htmlHandlers, Self.limits, text.baseAddress, min(text.count, maxBytes))
      }
    }
    relay.flush()
    return XMLStatus(status)
  }
}
