/// SplitMix64 (Steele, Lea, Flood 2014), started from a text: the same text, the same numbers, everywhere.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: String) { state = stableHash(seed.utf8) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// FNV-1a: for seeds and entity tags, not for security.
func stableHash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
