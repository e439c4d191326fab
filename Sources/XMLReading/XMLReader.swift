package import LibXML2Shim

/// Reads one XML document in UTF-8 with libxml2's SAX2 push parser.
///
/// No document type declaration reaches libxml2 (see ``XMLProlog``), no file and no address is ever opened, and
/// ``XMLLimits`` bound the cost. Text goes to the handlers' ``ElementTextBuffer``.
package final class XMLReader {
  package private(set) var status = XMLStatus.reading
  /// `nil` before the reading.
  package private(set) var prolog: XMLProlog?
  /// Line ends before the root element that libxml2 does not see.
  private var hiddenLines = 0
  /// Where a repaired document ends.
  private var end: TextPlace?
  private let parser: OpaquePointer?
  private let entities: UnsafeMutablePointer<EntityResolver>

  /// - Parameter recovers: continue after errors; otherwise the first one ends the reading.
  package init(_ handlers: XMLHandlers, limits: XMLLimits, recovers: Bool) {
    entities = .allocate(capacity: 1)
    entities.initialize(to: EntityResolver())
    let resolver = xml_shim_entities(user: UnsafeMutableRawPointer(entities)) { user, name in
      user?.assumingMemoryBound(to: EntityResolver.self).pointee.text(String(cString: name))
    }
    parser = xml_shim_create(handlers.shim, resolver, recovers, limits.shim)
    entities.pointee.parser = parser
  }

  deinit {
    xml_shim_free(parser)
    entities.deinitialize(count: 1)
    entities.deallocate()
  }

  package func read(_ text: UnsafeBufferPointer<UInt8>) {
    let prolog = begin(text)
    // libxml2 must not see any part of a declaration. When one has no end, a lenient pass may still find something.
    if let fault = prolog.fault { return status = fault }
    hiddenLines = text[..<prolog.length].count { $0 == 0x0A }
    for range in prolog.kept {
      hiddenLines -= text[range].count { $0 == 0x0A }
      _ = forward(UnsafeBufferPointer(rebasing: text[range]))
    }
    _ = forward(UnsafeBufferPointer(rebasing: text[prolog.length...]))
    finish()
  }

  /// Reads a whole document, repaired as ``XMLRepair`` describes, and finishes. Elements that the document leaves open get
  /// no end.
  ///
  /// - Parameter note: gets each correction of an element before the element.
  package func readRepaired(
    _ text: UnsafeBufferPointer<UInt8>, lists: XMLRepair.Lists = ([], []),
    note: @escaping (XMLRepair.Correction) -> Void = { _ in }
  ) {
    let prolog = begin(text)
    hiddenLines = text[..<prolog.length].count { $0 == 0x0A }
    let body = UnsafeBufferPointer(rebasing: text[prolog.length...])
    let ending = XMLRepair.run(body, entities: prolog.entities, lists: lists, note: note, forward)
    if status == .reading { end = TextPlace(of: prolog.length + ending.length, in: text) }
    finish()
  }

  /// Where the reading is: the end of a repaired document, else the end of what libxml2 has read.
  package var place: TextPlace {
    end ?? TextPlace(line: line, column: parser.map { Int(xml_shim_column($0)) } ?? 1)
  }

  /// The line of the document that is being read, from 1. The declaration that libxml2 does not see counts.
  package var line: Int { hiddenLines + (parser.map { Int(xml_shim_line($0)) } ?? 0) }

  // MARK: Errors

  package var error: XMLError? {
    guard let errors, errors.ill_formed else { return nil }
    let message = withUnsafeBytes(of: errors.message) { raw in
      String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
    }
    let isBare = ["xmlParseEntityRef: no name", "EntityRef: expecting ';'"].contains(message)
    return XMLError(
      line: Int(errors.line), message: isBare ? "a bare '&', which should be '&amp;'" : message)
  }

  /// True when a namespace prefix is used that no tag declares.
  package var hasUndeclaredPrefix: Bool { errors?.undeclared_prefix == true }
  /// The first entity that is used but neither declared nor one of XML's own.
  package var undefinedEntity: String? { entities.pointee.undefined }
  /// True when the document's own entities expand to more than 256 KiB of text; reading ends there.
  package var isOverExpanded: Bool { entities.pointee.expanded > EntityResolver.maxExpansion }

  private var errors: xml_shim_errors? { parser.map { xml_shim_get_errors($0) } }

  // MARK: The prolog

  private func begin(_ text: UnsafeBufferPointer<UInt8>) -> XMLProlog {
    let prolog = XMLProlog(text)
    self.prolog = prolog
    entities.pointee.declared = prolog.entities
    entities.pointee.external = prolog.externalEntities
    entities.pointee.hasLatin1 = prolog.declaresLatin1
    return prolog
  }

  private func finish() {
    guard status == .reading, let parser else { return }
    status = XMLStatus(xml_shim_finish(parser))
  }

  private func forward(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard status == .reading, let parser, let base = bytes.baseAddress, !bytes.isEmpty else {
      return status == .reading
    }
    status = XMLStatus(xml_shim_push(parser, base, bytes.count))
    return status == .reading
  }
}

/// Resolves the entities of one document, with a limit on the text they expand to.
private struct EntityResolver {
  /// Bytes that the document's own entities may expand to: far more than any honest document needs.
  static let maxExpansion = 256 << 10

  var declared: [String: EntityText] = [:]
  /// Declared, but never read: they stand for nothing.
  var external: Set<String> = []
  /// The Latin-1 characters of HTML are declared.
  var hasLatin1 = false
  var parser: OpaquePointer?
  var undefined: String?
  var expanded = 0

  /// The replacement text, NUL-terminated; `nil` for an unknown entity and past the limit.
  mutating func text(_ name: String) -> UnsafePointer<UInt8>? {
    if let entity = declared[name] {
      expanded += entity.count
      if expanded <= Self.maxExpansion { return entity.text }
      if let parser { xml_shim_stop_soon(parser) }
      return nil
    }
    if external.contains(name) { return Self.nothing.utf8Start }
    let known = HTMLEntities.table[name]
    if !(hasLatin1 && known.map(Self.isLatin1) == true) { undefined = undefined ?? name }
    return known?.text
  }

  private static let nothing: StaticString = ""

  /// U+0080...U+00FF: two bytes, of which the first is C2 or C3.
  private static func isLatin1(_ entity: EntityText) -> Bool { entity.count == 2 && entity.text[0] <= 0xC3 }
}

/// The decision at an element's start tag: read the element, skip it, or stop.
package enum XMLElementDecision: UInt32, Sendable {
  case read = 0
  /// Ignore the element: no handler is called for anything inside it, nor for its end.
  case skip
  case stop

  /// As ``LibXML2Shim`` numbers them.
  package var code: xml_shim_interest { xml_shim_interest(rawValue) }
}

/// The functions that an ``XMLReader`` calls for the elements of a document. They are C functions, so that they cost no
/// dispatch: they run for every element of every feed. Each gets the `context` given here.
package struct XMLHandlers {
  package typealias Tag = UnsafePointer<xml_shim_element>
  /// Returns the handler's own number for an element's name; called once for each name of a document.
  package typealias Code = @convention(c) (_ context: UnsafeMutableRawPointer?, Tag) -> UInt16
  package typealias Start = @convention(c) (_ context: UnsafeMutableRawPointer?, Tag) -> xml_shim_interest
  package typealias End = @convention(c) (_ context: UnsafeMutableRawPointer?) -> Void

  let shim: xml_shim_handlers

  /// - Parameters:
  ///   - context: must stay valid as long as the reader.
  ///   - text: where the reader writes text; must stay valid as long as the reader.
  package init(
    context: UnsafeMutableRawPointer, text: borrowing ElementTextBuffer, code: @escaping Code,
    start: @escaping Start, end: @escaping End
  ) {
    shim = xml_shim_handlers(user: context, text: text.target, code: code, start: start, end: end)
  }
}
