package import LibXML2Shim

/// The decision at an element's start tag: read the element, skip it, or stop.
package enum XMLElementDecision: Sendable {
  case read
  /// Ignore the element: no handler is called for anything inside it, nor for its end.
  case skip
  case stop

  package var code: xml_shim_interest {
    switch self {
    case .read: xml_shim_read
    case .skip: xml_shim_skip
    case .stop: xml_shim_leave
    }
  }
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
