internal import LibXML2Shim

/// One event of a document, for readers of small documents that want no C functions: OPML files, web pages.
public enum MarkupEvent: Sendable, Equatable {
  /// - Parameters:
  ///   - name: the local name as written, without a prefix.
  ///   - attributes: in document order, with references resolved and without white space at the ends of values.
  case start(name: String, attributes: [MarkupAttribute])
  /// All text between two tags, in one piece, with references resolved.
  case text(String)
  case end(name: String)
}

/// An attribute of an XML or HTML element.
public struct MarkupAttribute: Sendable, Equatable {
  /// As written, with its prefix.
  public let name: String
  public let value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Reads a whole XML document as ``MarkupEvent`` values.
public struct XMLEvents {
  /// The result of reading a document.
  public struct Outcome: Sendable {
    public var status: XMLStatus
    /// The first well-formedness error; a document with one was read after ``XMLRepair``.
    public var error: XMLError?
    /// The encoding the document was read in.
    public var encoding: EncodingLabel
    /// The first entity that is used but not declared.
    public var undefinedEntity: String?
  }

  private let limits: XMLLimits
  /// Bytes of the longest text of one element; the rest is dropped.
  private static let maxText = 1 << 20

  public init(limits: XMLLimits = XMLLimits()) { self.limits = limits }

  /// Reads a document in any encoding. An ill-formed one is read again after correcting its errors, so `begin` returns
  /// a new receiver for each pass. A receiver gets each event with the line, from 1, on which the tag ends that the event
  /// comes from. It returns what to do with an element at its start; other results are ignored.
  public func read(
    _ bytes: [UInt8], contentType: ContentType? = nil, _ begin: () -> PlacedReceiver
  ) -> Outcome {
    bytes.withUnsafeBufferPointer { bytes in
      let choice = EncodingSniffer(contentType: contentType)
        .choose(UnsafeBufferPointer(rebasing: bytes.prefix(EncodingSniffer.window)))
      let body = UnsafeBufferPointer(rebasing: bytes[choice.markLength...])
      var text = ByteBuffer()
      let encoding = Transcoder.decode(
        body, as: choice.encoding, isValid: Transcoder.isValid(body, in: choice.encoding),
        upTo: 2 * bytes.count, into: &text)
      var outcome = read(text.count > 0 ? text.bytes : body, begin)
      outcome.encoding = encoding
      return outcome
    }
  }

  public typealias PlacedReceiver = (_ event: MarkupEvent, _ line: Int) -> XMLElementDecision

  private func read(_ text: UnsafeBufferPointer<UInt8>, _ begin: () -> PlacedReceiver) -> Outcome {
    let strict = pass(begin(), recovers: false) { reader in
      _ = reader.push(text)
      reader.finish()
    }
    guard strict.status == .illFormed else { return strict }
    var lenient = pass(begin(), recovers: true) { $0.readRepaired(text) }
    lenient.error = strict.error ?? lenient.error
    lenient.undefinedEntity = strict.undefinedEntity ?? lenient.undefinedEntity
    return lenient
  }

  private func pass(
    _ receive: @escaping PlacedReceiver, recovers: Bool, _ run: (XMLReader) -> Void
  ) -> Outcome {
    let relay = XMLEventAdapter(maxText: Self.maxText, receive)
    return withExtendedLifetime(relay) {
      let reader = XMLReader(relay.handlers, limits: limits, recovers: recovers)
      relay.reader = reader
      run(reader)
      return Outcome(
        status: reader.status, error: reader.error, encoding: .utf8, undefinedEntity: reader.undefinedEntity)
    }
  }
}

/// Converts the XML parser's callbacks to ``MarkupEvent`` values.
private final class XMLEventAdapter {
  private var text: ElementTextBuffer
  private let maxText: Int
  private var names: [String] = []
  private let receive: XMLEvents.PlacedReceiver
  /// Set before anything is read.
  unowned(unsafe) var reader: XMLReader?

  private func send(_ event: MarkupEvent) -> XMLElementDecision { receive(event, reader?.line ?? 0) }

  init(maxText: Int, _ receive: @escaping XMLEvents.PlacedReceiver) {
    text = ElementTextBuffer(limit: maxText)
    text.setMode(.plain)
    self.maxText = maxText
    self.receive = receive
  }

  var handlers: XMLHandlers {
    XMLHandlers(
      context: Unmanaged.passUnretained(self).toOpaque(), text: text, code: { _, _ in 0 },
      start: { context, tag in (relay(context)?.start(XMLElement(tag)) ?? .stop).code },
      end: { context in relay(context)?.end() })
  }

  private func start(_ element: XMLElement) -> XMLElementDecision {
    flush()
    var attributes: [MarkupAttribute] = []
    element.attributes.forEach { attributes.append(MarkupAttribute($0, $1)) }
    let name = element.localName
    let interest = send(.start(name: name, attributes: attributes))
    if interest == .read { names.append(name) }
    return interest
  }

  private func end() {
    flush()
    if let name = names.popLast() { _ = send(.end(name: name)) }
  }

  private func flush() {
    guard text.count > 0 else { return }
    _ = send(.text(String(decoding: text.bytes, as: UTF8.self)))
    text.restart(at: 0, limit: maxText)
  }
}

/// A free function, because a C function pointer cannot be made from a closure that captures anything.
private func relay(_ context: UnsafeMutableRawPointer?) -> XMLEventAdapter? {
  context.map { Unmanaged<XMLEventAdapter>.fromOpaque($0).takeUnretainedValue() }
}
