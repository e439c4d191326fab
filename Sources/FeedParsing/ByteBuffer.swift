internal import LibXML2Shim

/// Bytes that grow at their end. It has one owner, so that adding to it costs no look at who else holds it, and a
/// large one is moved rather than copied when it grows: it is never held twice.
struct ByteBuffer: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private(set) var count = 0

  deinit { feed_bytes_free(base) }

  /// Good until the next change.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

  mutating func removeAll() { count = 0 }

  /// Gives the memory back, too.
  mutating func release() {
    feed_bytes_free(base)
    base = nil
    capacity = 0
    count = 0
  }

  mutating func removeLast(_ number: Int) { count -= number }

  mutating func append(_ byte: UInt8) {
    if count == capacity { grow(to: count + 1) }
    base.unsafelyUnwrapped[count] = byte
    count += 1
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    if capacity - count < bytes.count { grow(to: count + bytes.count) }
    (base.unsafelyUnwrapped + count).update(from: start, count: bytes.count)
    count += bytes.count
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  private mutating func grow(to needed: Int) {
    let larger = max(needed, capacity * 2, 256)
    // Swift's own collections end the process in the same case.
    guard let moved = feed_bytes_resize(base, larger) else { fatalError("no memory for \(larger) bytes") }
    base = moved.assumingMemoryBound(to: UInt8.self)
    capacity = larger
  }
}
