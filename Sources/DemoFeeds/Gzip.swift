/// The parts of RFC 1951 and RFC 1952 that the demo server needs, without a compressor.
package enum Gzip {
  /// Valid gzip of stored blocks, without compression.
  package static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var output = header
    let blocks = stride(from: 0, to: max(1, bytes.count), by: 0xFFFF).map { bytes[$0...].prefix(0xFFFF) }
    for (index, block) in blocks.enumerated() {
      output.append(index == blocks.count - 1 ? 1 : 0)
      output += littleEndian(UInt16(block.count)) + littleEndian(~UInt16(block.count))
      output += block
    }
    return output + littleEndian(crc32(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// A header without name and time.
  package static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian, Array.init)
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
      }
    }
  }
}
