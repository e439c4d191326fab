import Diagnostics
import Testing

@testable import Aggregates

@Suite("Estimates") struct RecountEstimateTests {
  private func estimate(
    _ size: RecountEstimate.Size, rate: Double? = nil, _ strategy: ScanStrategy? = nil
  ) async throws -> RecountEstimate {
    try await Fixtures.recount(MemoryContainer()) {
      if let rate { $0.assumptions.requestsPerSecond = rate }
      $0.strategy = strategy
    }.estimate(size)
  }

  @Test("a million subscriptions over 10,000 feeds, at the usual rate and at one that is set")
  func million() async throws {
    let size = RecountEstimate.Size(sources: 1_000_000, groups: 10_000)
    let fast = try await estimate(size)
    #expect(fast.plan.strategy == .byTarget)
    #expect(fast.plan.expectedRequests == 5000)
    #expect(fast.targetRequests == 150)
    #expect(fast.maxWrites == 150)
    #expect(abs(fast.seconds - (50 * 0.15 + 5000 / 40 + 150 * 0.15)) < 0.001)
    #expect(fast.shards == 1)
    // At 8 requests a second, queries by name gain little over a sweep, which also finds orphans.
    let slow = try await estimate(size, rate: 8)
    #expect(slow.plan.strategy == .sweep)
    #expect(slow.seconds > 750)
  }

  @Test("a billion subscriptions need shards, and none help where the targets' own reading takes an hour")
  func billion() async throws {
    let size = RecountEstimate.Size(sources: 1_000_000_000, groups: 100_000)
    #expect(try #require(try await estimate(size, .byTarget).shards) > 30)
    #expect(try await estimate(size, rate: 0.1).shards == nil)
  }

  @Test("text and JSON have the cost and what it assumes")
  func report() async throws {
    let estimate = try await estimate(.init(sources: 1_000_000, groups: 10_000))
    #expect(
      estimate.text(.plain).description == """
        subscribers: about 1000000 FeedSubscription records to read for 30000 numbers
        query requests: 5150, modify requests: at most 150
        about 155 s at 40 requests/s (CLOUDKIT_RATE_LIMIT) and 150 ms a request; 1 shard to stay below an hour each

        """)
    #expect(
      estimate.json == [
        "aggregate": "subscribers", "strategy": "by-target", "expectedSources": 1_000_000, "targets": 30_000,
        "expectedRequests": 5150, "requests": ["query": 5150, "modifyAtMost": 150],
        "expectedSeconds": .double(155),
        "requestsPerSecond": .double(40), "latencySeconds": .double(0.15), "timeLimitSeconds": .double(3600),
        "shards": 1,
      ])
  }
}
