internal import LibXML2Shim

/// Bytes that grow at their end. It has one owner, so that adding to it costs no look at who else holds it, and a
/// large one is moved rather than copied when it grows: it is never held twice.
///
/// Sendable although it holds a pointer: the memory belongs to this value alone, which cannot be copied, and changes
/// only through it.
struct ByteBuffer: ~Copyable, @unchecked Sendable {
  private var storage: feed_bytes

  init() { storage = feed_bytes() }

  /// Takes over the memory; nobody else may use it.
  init(owning storage: feed_bytes) { self.storage = storage }

  deinit {
    var last = storage
    feed_bytes_release(&last)
  }

  var count: Int { storage.count }

  /// Good until the next change.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage.base, count: storage.count) }

  subscript(span: TextSpan) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[span.range]) }

  /// Gives the memory back, too.
  mutating func release() { feed_bytes_release(&storage) }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    feed_bytes_append(&storage, bytes.baseAddress, bytes.count)
  }

  /// Appends the text and says where it stands.
  mutating func add(_ text: String?) -> TextSpan {
    guard var text else { return .none }
    let start = count
    text.withUTF8 { append($0) }
    return TextSpan(start..<count)
  }
}
