internal import LibXML2Shim

/// Bytes that grow at their end. It has one owner, so that adding to it costs no look at who else holds it, and a
/// large one is moved rather than copied when it grows: it is never held twice.
struct ByteBuffer: ~Copyable {
  private var storage = feed_bytes()

  deinit {
    var last = storage
    feed_bytes_release(&last)
  }

  var count: Int { storage.count }

  /// Good until the next change.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage.base, count: storage.count) }

  /// Gives the memory back, too.
  mutating func release() { feed_bytes_release(&storage) }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    feed_bytes_append(&storage, bytes.baseAddress, bytes.count)
  }
}
