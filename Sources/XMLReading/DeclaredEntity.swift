/// An internal general entity of the document's own declaration: only plain text is accepted, so that none can
/// stand for more than was written. The text stays at one address, as libxml2 needs.
final class DeclaredEntity {
  /// UTF-8 and a NUL.
  let text: UnsafePointer<UInt8>
  /// Bytes of the text.
  var count: Int { buffer.count - 1 }
  private let buffer: UnsafeMutableBufferPointer<UInt8>

  init(_ value: String) {
    buffer = .allocate(capacity: value.utf8.count + 1)
    _ = buffer.initialize(from: Array(value.utf8) + [0])
    text = UnsafePointer(buffer.baseAddress.unsafelyUnwrapped)
  }

  deinit { buffer.deallocate() }
}
