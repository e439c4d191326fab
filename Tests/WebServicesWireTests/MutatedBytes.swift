import Platform

extension SeededGenerator {
  /// The bytes with one of them changed, dropped or doubled.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    let index = Int.random(in: bytes.indices, using: &self)
    switch Int.random(in: 0..<4, using: &self) {
    case 0: result.remove(at: index)
    case 1: result.insert(bytes[index], at: index)
    default: result[index] ^= 1 << UInt8.random(in: 0..<7, using: &self)
    }
    return result
  }
}
