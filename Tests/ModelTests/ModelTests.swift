import Foundation
import Testing

/// Random sequences of what editors, users, jobs and faults do to a catalog, against a model of who reads what and which
/// value belongs where. The variables MODEL_SEQUENCES, MODEL_SERVED and MODEL_SEED make other and more of them.
@Suite("A catalog in any order of events") struct ModelTests {
  private static let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "schema/celestra.ckdb")

  private static func number(_ name: String, _ usual: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init) ?? usual
  }

  /// In parts, which run side by side.
  @Test(
    "the invariants of seeding, pulling, counting, restoring and undoing hold in random sequences",
    arguments: 0..<parts)
  func sequences(part: UInt64) async throws {
    let count = Self.number("MODEL_SEQUENCES", 60)
    let size = (count + Self.parts - 1) / Self.parts
    let (start, end) = (min(part * size, count), min((part + 1) * size, count))
    try await live(end - start, from: Self.number("MODEL_SEED", 1) + start, isServed: false)
  }

  private static let parts: UInt64 = 4

  /// Seeds of sequences in which an invariant did not hold.
  @Test("sequences that once failed", arguments: [30380, 30222, 20751] as [UInt64])
  func once(seed: UInt64) async throws { try await live(1, from: seed, isServed: false) }

  @Test("the same invariants hold for a client of an emulator")
  func served() async throws {
    try await live(Self.number("MODEL_SERVED", 6), isServed: true)
  }

  private func live(
    _ count: UInt64, from first: UInt64 = number("MODEL_SEED", 1), isServed: Bool
  ) async throws {
    let schema = try String(contentsOf: Self.schema, encoding: .utf8)
    var checks: [String: Int] = [:]
    var failures = 0
    for seed in first..<(first + count) {
      let world = try await CatalogWorld(seed: seed, schema: schema, isServed: isServed)
      do { try await world.live() } catch {
        failures += 1
        Issue.record("seed \(seed): \(error)\n  \(world.steps.joined(separator: "\n  "))")
      }
      checks.merge(world.checks, uniquingKeysWith: +)
      try await world.remove()
      if failures == 20 { break }
    }
    let list = checks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    print(
      "\(count) sequences\(isServed ? " through the emulator" : "") from seed \(first), \(failures) failed; invariants compared: \(list)"
    )
    // Sequences that compare nothing show nothing; a few alone may not meet each of them.
    for invariant in ["a", "b", "c", "d", "f", "g", "values"] where count > 5 {
      #expect(checks[invariant, default: 0] > 0, "(\(invariant)) was never compared")
    }
  }
}
