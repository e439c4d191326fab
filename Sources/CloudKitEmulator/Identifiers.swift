import Synchronization

/// Ids in the form of UUIDs: by chance, or always the same ones from a seed (SplitMix64).
final class Identifiers: Sendable {
  private let state: Mutex<UInt64?>

  init(seed: UInt64?) { state = Mutex(seed) }

  func next() -> String {
    let high = number()
    let low = number()
    let digits = Array(Self.hex(high & ~0xF000 | 0x4000) + Self.hex(low & ~(3 << 62) | 2 << 62))
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return groups.map { String(digits[$0]) }.joined(separator: "-").uppercased()
  }

  private func number() -> UInt64 {
    state.withLock { state in
      guard let last = state else { return UInt64.random(in: .min ... .max) }
      let next = last &+ 0x9E37_79B9_7F4A_7C15
      state = next
      let first = (next ^ (next >> 30)) &* 0xBF58_476D_1CE4_E5B9
      let second = (first ^ (first >> 27)) &* 0x94D0_49BB_1331_11EB
      return second ^ (second >> 31)
    }
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
