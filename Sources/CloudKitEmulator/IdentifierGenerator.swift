internal import SeededRandom
import Synchronization

/// Generates ids in the form of UUIDs: random, or reproducible from a seed.
final class IdentifierGenerator: Sendable {
  private let state: Mutex<SeededGenerator?>

  init(seed: UInt64?) { state = Mutex(seed.map(SeededGenerator.init)) }

  func next() -> String {
    let high = number()
    let low = number()
    let digits = Array(Self.hex(high & ~0xF000 | 0x4000) + Self.hex(low & ~(3 << 62) | 2 << 62))
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return groups.map { String(digits[$0]) }.joined(separator: "-").uppercased()
  }

  private func number() -> UInt64 { state.withLock { $0?.next() ?? .random(in: .min ... .max) } }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
