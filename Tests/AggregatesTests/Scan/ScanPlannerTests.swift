import CloudKitModel
import SeededRandom
import Testing

@testable import Aggregates

@Suite("Queries by name") struct ScanPlannerTests {
  private func plan(_ counts: [Int64], shard: RecountShard = .whole, _ strategy: ScanStrategy? = .names)
    -> ScanPlan
  {
    var table = RecountTargets()
    let target = AggregateDeclaration.subscribers.targets[0]
    for (number, count) in counts.enumerated() {
      let record = RecountTarget(recordName: "\(number)", group: "\(number)", current: .int64(count))
      table.add(record, of: target, number: 0)
    }
    let planner = ScanPlanner(
      declaration: .subscribers, table: table, shard: shard, assumptions: ScanCostAssumptions(),
      canPushDown: false)
    return planner.plan(strategy, needsOrphans: false)
  }

  /// Counts of feeds whose popularity falls with the rank to the power of the skew.
  private func counts(skew: Double, feeds: Int = 10_000, total: Double = 1_000_000) -> [Int64] {
    let popularity = ZipfDistribution(count: feeds, skew: skew)
    return popularity.shares.map { Int64(($0 * total).rounded()) }
  }

  @Test("a chunk closes at 100 names or at 1/48 of the expected rows, the largest names first")
  func chunks() {
    let plan = plan(counts(skew: 1))
    let groups = plan.units.map { $0.groups ?? [] }
    #expect(groups.flatMap(\.self).sorted() == Array(0..<10_000))
    #expect(groups.allSatisfy { (1...100).contains($0.count) })
    #expect(groups.first == [0])
    let maxRows = plan.expectedSources / 48
    #expect(plan.units.allSatisfy { $0.expectedRows <= maxRows || $0.groups?.count == 1 })
    #expect(groups.last?.contains(9999) == true)
  }

  @Test("groups of one size share a chunk up to exactly 1/48 of the expected rows")
  func fullChunks() {
    let units = plan(Array(repeating: 1000, count: 480)).units
    #expect(units.map(\.expectedRows) == Array(repeating: 10_000, count: 48))
  }

  @Test("few rows need one query, however many queries could be in flight")
  func small() {
    #expect(plan([30, 20, 10, 0]).units.map(\.groups) == [[0, 1, 2, 3]])
    #expect(plan([]).units.isEmpty)
  }

  @Test("requests stay within 1.05 of full pages when last counts are 5 % off", arguments: [0.8, 1.0, 1.2])
  func requests(skew: Double) {
    let actual = counts(skew: skew)
    var random = SeededGenerator(seed: 11)
    let last = actual.map { Int64((Double($0) * (0.95 + 0.1 * random.unit())).rounded()) }
    let requests = plan(last).units.map { unit in
      let rows = (unit.groups ?? []).reduce(Int64(0)) { $0 + actual[$1] }
      return max(1, (rows + 199) / 200)
    }
    #expect(Double(requests.reduce(0, +)) <= 1.05 * Double(actual.reduce(0, +)) / 200)
  }

  @Test("without last counts a sweep reads the sources, but a shard reads only its own names")
  func withoutCounts() throws {
    #expect(plan([0, 0, 0], nil).strategy == .sweep)
    #expect(plan([0, 0, 0], shard: try #require(RecountShard(1, of: 2)), nil).strategy == .names)
  }

  private func planner(
    _ counts: [Int64] = [10], _ operation: AggregateDeclaration.Operation = .count,
    shard: RecountShard = .whole,
    canPushDown: Bool = false
  ) -> ScanPlanner {
    var declaration = AggregateDeclaration.subscribers
    declaration.operation = operation
    var table = RecountTargets()
    for (number, count) in counts.enumerated() {
      let record = RecountTarget(recordName: "\(number)", group: "\(number)", current: .int64(count))
      table.add(record, of: declaration.targets[0], number: 0)
    }
    return ScanPlanner(
      declaration: declaration, table: table, shard: shard, assumptions: ScanCostAssumptions(),
      canPushDown: canPushDown)
  }

  @Test("a container that can count groups counts them, unless values must be combined")
  func pushdown() {
    let plan = planner(canPushDown: true).plan(nil, needsOrphans: true)
    #expect(plan.strategy == .pushdown && plan.expectedSources == 10)
    #expect(plan.expectedRequests == 0 && plan.expectedSeconds == 0 && plan.units.isEmpty)
    #expect(planner([10], .sum("f"), canPushDown: true).plan(nil, needsOrphans: false).strategy != .pushdown)
    #expect(planner(canPushDown: true).plan(.sweep, needsOrphans: false).strategy == .sweep)
  }

  @Test("orphans need a sweep, and many names are read by queries in parallel")
  func choice() throws {
    let many = Array(repeating: Int64(1000), count: 1000)
    #expect(planner(many).plan(nil, needsOrphans: false).strategy == .names)
    #expect(planner(many).plan(nil, needsOrphans: true).strategy == .sweep)
    // One query by name takes as long as a sweep.
    #expect(planner([10]).plan(nil, needsOrphans: false).strategy == .sweep)
    let shard = try #require(RecountShard(2, of: 4))
    #expect(planner([10], shard: shard).plan(nil, needsOrphans: true).strategy == .sweep)
    #expect(planner([10], shard: shard).plan(nil, needsOrphans: false).strategy == .names)
  }

  @Test("a sweep of a shard reads the sources of all shards")
  func sweep() throws {
    let shard = try #require(RecountShard(2, of: 4))
    let plan = planner([70, 31], shard: shard).plan(.sweep, needsOrphans: false)
    #expect(plan.expectedSources == 404 && plan.expectedRequests == 3)
    #expect(plan.units == [ScanQuery(groups: nil, covered: 0..<2, expectedRows: 404)])
  }

  @Test("a chunk has at most 100 names, and beside another name at most ten pages")
  func chunkLimits() {
    func sizes(_ counts: [Int64]) -> [Int] {
      planner(counts).queries(for: counts.indices).map { $0.groups?.count ?? 0 }
    }
    #expect(
      sizes(Array(repeating: 0, count: 100)) == [100] && sizes(Array(repeating: 0, count: 101)) == [100, 1])
    #expect(sizes([1000, 1000]) == [2] && sizes([1001, 1000]) == [1, 1] && sizes([5000]) == [1])
    #expect(planner([5, 9, 9, 1]).queries(for: 1..<4).map(\.groups) == [[1, 2, 3]])
    #expect(planner([5, 9, 9, 1]).queries(for: 0..<4).map(\.groups) == [[1, 2, 0, 3]])
  }

  @Test(
    "an empty result is one page",
    arguments: [(0, 1), (1, 1), (199, 1), (200, 1), (201, 2), (400, 2), (401, 3)])
  func pages(rows: Int64, requests: Int64) {
    #expect(
      ScanQuery(groups: nil, covered: 0..<0, expectedRows: rows).expectedRequests(page: 200) == requests)
  }

  /// Requests, the longest unit and the units side by side, with the seconds at half a second a request, at most 4 at a
  /// time and 10 a second.
  static let costs: [(Int64, Int64, Int, Double)] = [
    (100, 1, 1, 50), (100, 1, 0, 50), (100, 1, 2, 25), (100, 1, 4, 12.5), (100, 1, 9, 12.5), (30, 30, 4, 15),
    (0, 0, 1, 0),
  ]

  @Test("the cost is that of the rate or of the longest unit, whichever is larger", arguments: costs)
  func cost(requests: Int64, longest: Int64, sideBySide: Int, seconds: Double) {
    var assumptions = ScanCostAssumptions()
    (assumptions.latency, assumptions.requestsPerSecond, assumptions.concurrency) = (0.5, 10, 4)
    #expect(assumptions.seconds(requests: requests, longest: longest, sideBySide: sideBySide) == seconds)
    assumptions.requestsPerSecond = 1
    #expect(
      assumptions.seconds(requests: requests, longest: longest, sideBySide: sideBySide) == Double(requests))
  }

  @Test("'binned' is another word for names")
  func words() {
    #expect(ScanStrategy(word: "binned") == .names)
    #expect(ScanStrategy(word: "names")?.rawValue == "names")
    #expect(ScanStrategy(word: "bucketed") == nil)
  }
}

extension ZipfDistribution {
  fileprivate var shares: [Double] {
    let total = sums.last ?? 1
    return zip(sums, [0] + sums).map { ($0 - $1) / total }
  }
}
