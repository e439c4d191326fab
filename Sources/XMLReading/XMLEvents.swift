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
    var (correctedTags, missingEnds): (Set<Int>, Set<Int>) = ([], [])
    var reader: XMLReader?
    let relay = MarkupRelay(maxText: Self.maxText) { event, tag in
      let isCorrected =
        switch event {
        case .start: correctedTags.contains(tag)
        case .text: false
        case .end: missingEnds.contains(tag)
        }
      return receive(event, MarkupPlace(line: reader?.line ?? 0, isCorrected: isCorrected))
    }
    return withExtendedLifetime(relay) {
      let current = XMLReader(relay.xmlHandlers, limits: limits, recovers: recovers)
      reader = current
      if recovers {
        current.readRepaired(text) { correction in
          switch correction {
          case .tag(let number): _ = correctedTags.insert(number)
          case .end(let number): _ = missingEnds.insert(number)
          }
        }
      } else {
        current.read(text)
      }
      return Outcome(
        status: current.status, error: current.error, undefinedEntity: current.undefinedEntity,
        end: current.place)
    }
  }
}
