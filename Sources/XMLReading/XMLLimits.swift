internal import LibXML2Shim

/// Limits on one document, so that hostile input costs no more time and memory than its size.
package struct XMLLimits: Sendable {
  /// Bytes between the `<` and the `>` of one tag. libxml2's work on a tag grows with the square of its attributes
  /// and cannot be interrupted: 20,000 attributes take seconds.
  package var tag = 64 << 10
  package var depth = 200
  /// Attributes in all tags of the document.
  package var attributes = 250_000
  /// Namespaces declared by one tag: each makes later lookups slower.
  package var namespaces = 128
  /// Distinct names: libxml2's table of them slows down as it grows.
  package var names = 20_000

  package init() {}

  var shim: xml_shim_limits {
    xml_shim_limits(
      tag: tag, depth: depth, attributes: attributes, namespaces: namespaces, names: names)
  }
}

/// The state of reading a document: in progress, complete, or ended by an error or a limit. The first are those of
/// ``LibXML2Shim``, with its numbers.
package enum XMLStatus: UInt32, Sendable {
  case reading = 0
  /// The document is not well-formed, and the reader does not recover from errors.
  case illFormed
  // A limit was exceeded, or the handler wants no more.
  case tagTooLong, tooManyAttributes, tooManyNamespaces, tooManyNames, tooDeep, stopped
  /// The document type declaration is longer than ``XMLProlog/limit``.
  case doctypeTooLong

  init(_ status: xml_shim_status) { self = XMLStatus(rawValue: status.rawValue) ?? .stopped }
}

/// The first well-formedness error of a document.
package struct XMLError: Error, Sendable, Equatable {
  /// From 1.
  package let line: Int
  /// libxml2's message without a line end, in plain words for the most frequent error.
  package let message: String
}

package struct TextPlace: Sendable, Hashable, CustomStringConvertible {
  /// From 1.
  package let line: Int
  /// In characters, from 1.
  package let column: Int

  package var description: String { "\(line):\(column)" }
}

extension TextPlace {
  package init(of offset: Int, in text: UnsafeBufferPointer<UInt8>) {
    let before = text[..<offset]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // All bytes of a character but its first are 10xxxxxx.
    self.init(
      line: before.count { $0 == 0x0A } + 1, column: before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1)
  }
}
