internal import SeededRandom

extension SeededGenerator {
  /// Started from a text: the same text, the same numbers.
  init(_ seed: String) { self.init(seed: stableHash(seed.utf8)) }
}

/// FNV-1a: for seeds and entity tags, not for security.
func stableHash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
