import SeededRandom
import Testing

@testable import Aggregates

@Suite("Packing bins") struct BinPackingTests {
  private func zipf(_ count: Int, total: Double) -> [Int64] {
    let sum = (1...count).reduce(0.0) { $0 + 1 / Double($1) }
    return (1...count).map { Int64(total / Double($0) / sum) }
  }

  @Test("every group is in exactly one bin of at most 100", arguments: [0, 1, 99, 100, 101, 1234])
  func partition(count: Int) {
    var random = SeededGenerator(seed: 7)
    let expected = (0..<count).map { _ in Int64.random(in: 0...3000, using: &random) }
    let bins = BinPacking.pack(expected, limits: .init(wantedBins: 5))
    #expect(bins.flatMap(\.self).sorted() == Array(expected.indices))
    #expect(bins.allSatisfy { (1...100).contains($0.count) })
  }

  @Test("a million skewed subscriptions over 10,000 feeds, 5 % off, cost at most 1.03 times the full pages")
  func waste() {
    let expected = zipf(10_000, total: 1_000_000)
    var random = SeededGenerator(seed: 42)
    let actual = expected.map { Int64(Double($0) * (0.95 + 0.1 * random.unit())) }
    let bins = BinPacking.pack(expected, limits: .init(wantedBins: 48))
    let requests = bins.map { max(1, ($0.reduce(0) { $0 + actual[$1] } + 199) / 200) }.reduce(0, +)
    let bound = (actual.reduce(0, +) + 199) / 200
    #expect(Double(requests) <= 1.03 * Double(bound))
  }

  @Test("with nothing expected, every bin is full but the last")
  func nothingExpected() {
    #expect(BinPacking.pack(Array(repeating: 0, count: 250)).map(\.count) == [100, 100, 50])
  }

  @Test("a hundred thousand groups are packed without going through all of them for each")
  func large() {
    let bins = BinPacking.pack(zipf(100_000, total: 10_000_000))
    #expect(bins.flatMap(\.self).count == 100_000)
  }
}
