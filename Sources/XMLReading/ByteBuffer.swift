public import LibXML2Shim

/// Bytes that grow at their end. The buffer has one owner, so appending needs no uniqueness check, and a large buffer
/// is moved rather than copied when it grows.
///
/// Sendable although it holds a pointer: the memory belongs to this value alone, which cannot be copied, and changes
/// only through it.
public struct ByteBuffer: ~Copyable, @unchecked Sendable {
  @usableFromInline var storage: xml_shim_bytes

  public init() { storage = xml_shim_bytes() }

  /// Takes ownership of the memory.
  init(owning storage: xml_shim_bytes) { self.storage = storage }

  deinit {
    var last = storage
    xml_shim_bytes_release(&last)
  }

  @inlinable public var count: Int { storage.count }

  /// Valid until the next change.
  @inlinable public var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: storage.base, count: storage.count)
  }

  @inlinable public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    xml_shim_bytes_append(&storage, bytes.baseAddress, bytes.count)
  }
}
