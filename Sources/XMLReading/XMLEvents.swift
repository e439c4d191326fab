internal import LibXML2Shim

/// One event of a document, for readers of small documents that want no C functions: OPML files, web pages.
package enum MarkupEvent: Sendable, Equatable {
  /// - Parameters:
  ///   - name: the local name as written, without a prefix.
  ///   - attributes: in document order, with references resolved and without white space at the ends of values.
  case start(name: String, attributes: [MarkupAttribute])
  /// All text between two tags, in one piece, with references resolved.
  case text(String)
  case end(name: String)
}

package struct MarkupAttribute: Sendable, Equatable {
  /// As written, with its prefix.
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

package struct MarkupPlace: Sendable, Equatable {
  /// The line, from 1, on which the tag ends that the event comes from.
  package let line: Int
  /// The tag is not as the document has it: of a start, a value of it was broken off, or it may be part of a value; of an
  /// end, the document has no such tag.
  package let isCorrected: Bool
}

/// Reads a whole XML document as ``MarkupEvent`` values.
package struct XMLEvents {
  package struct Outcome: Sendable {
    package var status: XMLStatus
    /// The first well-formedness error; a document with one was read after ``XMLRepair``.
    package var error: XMLError?
    /// The first entity that is used but not declared.
    package var undefinedEntity: String?
    package var end: TextPlace
  }

  private let limits: XMLLimits
  /// Bytes of the longest text of one element; the rest is dropped.
  private static let maxText = 1 << 20

  package init(limits: XMLLimits = XMLLimits()) { self.limits = limits }

  /// Reads a document in any encoding. An ill-formed one is read again after correcting its errors, so `begin` returns
  /// a new receiver for each pass. It returns what to do with an element at its start; other results are ignored. An
  /// element that the document leaves open gets no ``MarkupEvent/end(name:)``.
  package func read(
    _ bytes: [UInt8], contentType: ContentType? = nil, _ begin: () -> PlacedReceiver
  ) -> Outcome {
    bytes.withUnsafeBufferPointer { bytes in
      let head = UnsafeBufferPointer(rebasing: bytes.prefix(EncodingSniffer.window))
      let choice = EncodingSniffer.choose(head, contentType)
      let body = UnsafeBufferPointer(rebasing: bytes[choice.markLength...])
      var text = ByteBuffer()
      _ = Transcoder.decode(body, as: choice.encoding, upTo: 2 * bytes.count, into: &text)
      return read(text.count > 0 ? text.bytes : body, begin)
    }
  }

  package typealias PlacedReceiver = (_ event: MarkupEvent, _ place: MarkupPlace) -> XMLElementDecision

  private func read(_ text: UnsafeBufferPointer<UInt8>, _ begin: () -> PlacedReceiver) -> Outcome {
    let strict = pass(text, begin(), recovers: false)
    guard strict.status == .illFormed else { return strict }
    var lenient = pass(text, begin(), recovers: true)
    lenient.error = strict.error ?? lenient.error
    lenient.undefinedEntity = strict.undefinedEntity ?? lenient.undefinedEntity
    return lenient
  }

  private func pass(
    _ text: UnsafeBufferPointer<UInt8>, _ receive: @escaping PlacedReceiver, recovers: Bool
  ) -> Outcome {
    let relay = XMLEventAdapter(maxText: Self.maxText, receive)
    return withExtendedLifetime(relay) {
      let reader = XMLReader(relay.handlers, limits: limits, recovers: recovers)
      relay.reader = reader
      if recovers { reader.readRepaired(text, note: relay.take) } else { reader.read(text) }
      return Outcome(
        status: reader.status, error: reader.error, undefinedEntity: reader.undefinedEntity,
        end: reader.place)
    }
  }
}

/// Converts the XML parser's callbacks to ``MarkupEvent`` values.
private final class XMLEventAdapter {
  private var text: ElementTextBuffer
  private let maxText: Int
  /// The open elements that are read, with the numbers of their start tags.
  private var open: [(name: String, number: Int)] = []
  /// Start tags so far, also of skipped elements.
  private var tags = 0
  /// Open elements, from the one that is skipped inwards.
  private var skipped = 0
  private var correctedTags: Set<Int> = []
  private var missingEnds: Set<Int> = []
  private let receive: XMLEvents.PlacedReceiver
  /// Set before anything is read.
  unowned(unsafe) var reader: XMLReader?

  private func send(_ event: MarkupEvent, isCorrected: Bool = false) -> XMLElementDecision {
    receive(event, MarkupPlace(line: reader?.line ?? 0, isCorrected: isCorrected))
  }

  func take(_ correction: XMLRepair.Correction) {
    switch correction {
    case .tag(let number): correctedTags.insert(number)
    case .end(let number): missingEnds.insert(number)
    }
  }

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
    let number = tags
    tags += 1
    guard skipped == 0 else {
      skipped += 1
      return .read
    }
    flush()
    var attributes: [MarkupAttribute] = []
    element.attributes.forEach { attributes.append(MarkupAttribute($0, $1)) }
    let name = element.localName
    let interest = send(
      .start(name: name, attributes: attributes), isCorrected: correctedTags.contains(number))
    switch interest {
    case .read: open.append((name, number))
    // The tags inside are counted, as the repair counts them.
    case .skip: skipped = 1
    case .stop: return .stop
    }
    return .read
  }

  private func end() {
    guard skipped == 0 else { return leaveSkipped() }
    flush()
    guard let (name, number) = open.popLast() else { return }
    _ = send(.end(name: name), isCorrected: missingEnds.contains(number))
  }

  private func leaveSkipped() {
    skipped -= 1
    if skipped == 0 { text.restart(at: 0, limit: maxText) }
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
