internal import LibXML2Shim

/// The buffer that an ``XMLReader`` writes text to, piece by piece, as its ``mode`` says. Its address is fixed, because
/// the parser holds it.
package struct ElementTextBuffer: ~Copyable {
  /// As ``LibXML2Shim`` numbers them.
  package enum Mode: UInt32, Sendable {
    case ignored = 0
    case plain
    /// `&`, `<` and `>` are written as references.
    case escaped
  }

  let target: UnsafeMutablePointer<xml_shim_text>

  /// - Parameter limit: how many bytes are kept; the rest is dropped.
  package init(limit: Int) {
    target = .allocate(capacity: 1)
    target.initialize(
      to: xml_shim_text(bytes: xml_shim_bytes(), mode: xml_shim_text_ignored, limit: limit, truncated: false))
  }

  deinit {
    xml_shim_bytes_release(&target.pointee.bytes)
    target.deallocate()
  }

  package var isIgnored: Bool { target.pointee.mode == xml_shim_text_ignored }

  package mutating func setMode(_ mode: Mode) { target.pointee.mode = xml_shim_text_mode(mode.rawValue) }

  /// True when text was dropped since ``restart(at:limit:)``.
  package var isTruncated: Bool { target.pointee.truncated }

  package var count: Int { target.pointee.bytes.count }

  /// Valid until the next change.
  package var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: target.pointee.bytes.base, count: target.pointee.bytes.count)
  }

  /// Drops everything after `count` bytes and accepts `limit` more.
  package mutating func restart(at count: Int, limit: Int) {
    target.pointee.truncated = false
    target.pointee.bytes.count = count
    target.pointee.limit = count + limit
  }

  /// Drops everything after `count` bytes.
  package mutating func truncate(to count: Int) { target.pointee.bytes.count = count }

  /// Adds bytes as they are, whatever the mode, up to the limit.
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    xml_shim_text_append(target, bytes.baseAddress, bytes.count)
  }

  /// Adds bytes as they are, also beyond the limit.
  package mutating func appendUnlimited(_ bytes: UnsafeBufferPointer<UInt8>) {
    xml_shim_bytes_append(&target.pointee.bytes, bytes.baseAddress, bytes.count)
  }

  /// Adds an attribute's value, with `&`, `<`, `>` and `"` as references, up to the limit.
  package mutating func appendAttributeValue(_ bytes: UnsafeBufferPointer<UInt8>) {
    xml_shim_text_append_escaped(target, bytes.baseAddress, bytes.count, true)
  }

  package mutating func take() -> ByteBuffer {
    defer { target.pointee.bytes = xml_shim_bytes() }
    return ByteBuffer(owning: target.pointee.bytes)
  }
}
