import SeededRandom
import Testing

@testable import Aggregates

@Suite("Estimates") struct EstimateTests {
  @Test("a million subscriptions over 10,000 feeds at 40 requests a second")
  func million() {
    let estimate = RecountEstimate(
      .init(sources: 1_000_000, groups: 10_000, targetRecords: 20_000, changed: 400))
    #expect(estimate.sweepRequests == 5000)
    #expect(estimate.binnedRequests == 5050)
    #expect(estimate.targetRequests == 100)
    #expect(estimate.writeRequests == 2)
    #expect(abs(estimate.sweepSeconds - 5102 * 0.15) < 0.001)
    #expect(abs(estimate.binnedSeconds - (102 * 0.15 + 5050 / 40)) < 0.001)
    #expect(estimate.shards == 1)
  }

  @Test("a billion subscriptions need shards, and a limit below the targets' own reading cannot be met")
  func billion() throws {
    let size = RecountEstimate.Size(
      sources: 1_000_000_000, groups: 100_000, targetRecords: 200_000, changed: 100_000)
    #expect(try #require(RecountEstimate(size).shards) == 6)
    #expect(RecountEstimate(size, timeLimit: 60).shards == nil)
  }

  @Test("a sample's bounds hold the truth about 19 times in 20")
  func coverage() throws {
    var random = SeededGenerator(seed: 5)
    var held = 0
    for _ in 0..<400 {
      let counted = (0..<1000).count { _ in random.next() % 256 < 32 }
      let estimate = try #require(SampleEstimate(counted: Int64(counted), buckets: 32))
      if estimate.bounds.contains(1000) { held += 1 }
    }
    #expect((370...390).contains(held) || held > 370)
  }

  @Test("a sample of everything is exact, and finding nothing proves little")
  func edges() throws {
    #expect(try #require(SampleEstimate(counted: 77, buckets: 256)).bounds == 77...77)
    #expect(try #require(SampleEstimate(counted: 0, buckets: 16)).bounds == 0...45)
    #expect(SampleEstimate(counted: 1, buckets: 0) == nil)
  }
}
