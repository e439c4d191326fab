/// SplitMix64: the same numbers for the same seed, so that a failing case can be run again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

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
