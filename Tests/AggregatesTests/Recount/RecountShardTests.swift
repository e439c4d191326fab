import Diagnostics
import Testing

@testable import Aggregates

@Suite("Shards") struct RecountShardTests {
  @Test("every name is in exactly one part, and parts are about even", arguments: [1, 2, 3, 8, 17])
  func partition(count: Int) throws {
    let shards = try (1...count).map { try #require(RecountShard($0, of: count)) }
    var sizes = Array(repeating: 0, count: count)
    for number in 0..<4000 {
      let owners = shards.filter { $0.contains("feed-\(number)") }
      #expect(owners.count == 1)
      if let owner = owners.first { sizes[owner.index - 1] += 1 }
    }
    let fair = 4000 / count
    #expect(sizes.allSatisfy { abs($0 - fair) < fair / 3 + 20 })
  }

  @Test("a name is in the same part on every machine and in every version")
  func stable() throws {
    let shards = try (1...8).map { try #require(RecountShard($0, of: 8)) }
    let parts = (0..<8).map { number in shards.first { $0.contains("feed-\(number)") }?.index }
    #expect(parts == [5, 3, 4, 2, 5, 6, 4, 5])
  }

  @Test(
    "text and environment",
    arguments: [
      (["CELESTRA_SHARD": "3/8"], "3/8"),
      (["JOB_COMPLETION_INDEX": "0", "CELESTRA_SHARD_COUNT": "4"], "1/4"),
      (["CELESTRA_SHARD_INDEX": "3", "CELESTRA_SHARD_COUNT": "4"], "4/4"),
      (["PATH": "/bin"], nil),
    ])
  func environment(_ variables: [String: String], _ expected: String?) throws {
    #expect(try RecountShard.scheduled(in: variables)?.description == expected)
  }

  @Test(
    "a scheduler's variables that make no part are an error, not the whole",
    arguments: [
      ["CELESTRA_SHARD": "9/8"], ["CELESTRA_SHARD": "x"], ["JOB_COMPLETION_INDEX": "0"],
      ["JOB_COMPLETION_INDEX": "4", "CELESTRA_SHARD_COUNT": "4"],
      ["CELESTRA_SHARD_INDEX": "-1", "CELESTRA_SHARD_COUNT": "4"],
      ["CELESTRA_SHARD_INDEX": "9223372036854775807", "CELESTRA_SHARD_COUNT": "4"],
    ])
  func misconfigured(_ variables: [String: String]) {
    #expect(throws: CommandFailure.self) { try RecountShard.scheduled(in: variables) }
  }

  @Test("all parts together are the single run", arguments: [ScanStrategy.sweep, .byTarget, .pushdown])
  func together(_ strategy: ScanStrategy) async throws {
    let container = MemoryContainer()
    Fixtures.fill(container, feeds: 30)
    var sums = (sources: Int64(0), orphans: Int64(0), invalid: Int64(0), targets: Int64(0))
    for index in [3, 1, 4, 2] {
      let shard = try #require(RecountShard(index, of: 4))
      let result = try await Fixtures.recount(container, pushdown: strategy == .pushdown) {
        ($0.strategy, $0.shard) = (strategy, shard)
      }.run().result
      #expect(result.complete)
      sums.sources += result.sources
      #expect((result.orphans == nil) == (strategy == .byTarget))
      sums.orphans += result.orphans ?? 0
      sums.invalid += result.invalidNames
      sums.targets += result.targets
    }
    let orphans = strategy == .byTarget ? 0 : 7
    #expect(Fixtures.isExact(container, feeds: 30))
    #expect(sums == (Int64(Fixtures.total(feeds: 30) + orphans), Int64(orphans), 3, 60))
  }
}
