package import DemoFeeds

extension Gzip {
  /// A space and then copies of the last 258 bytes: 13 bits for 258 bytes. The stream does not end.
  package static func bomb(copies: Int) -> [UInt8] {
    var bits = BitWriter(bytes: header)
    bits.write(0b010, 3)  // not the last block; fixed codes
    bits.write(reversed(0x30 + 0x20, 8), 8)  // literal space
    for _ in 0..<16 {
      bits.write(reversed(0b1100_0101, 8), 8)  // length 258
      bits.write(0, 5)  // distance 1
    }
    // Eight copies take exactly 13 bytes, so the bytes repeat from here on.
    let period = bits.bytes.dropLast().suffix(13)
    return bits.bytes.dropLast() + Array(repeatElement(period, count: max(0, copies / 8 - 2)).joined())
  }

  /// Huffman codes are written with their first bit lowest.
  private static func reversed(_ code: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 << 1 | code >> $1 & 1 }
  }
}

/// Appends single bits to bytes, as DEFLATE orders them.
private struct BitWriter {
  var bytes: [UInt8]
  private var free = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func write(_ value: Int, _ count: Int) {
    for bit in 0..<count {
      if free == 0 {
        bytes.append(0)
        free = 8
      }
      if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 1 << UInt8(8 - free) }
      free -= 1
    }
  }
}
