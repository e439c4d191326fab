import CloudKitModel
import Platform
import Testing

@testable import Aggregates

@Suite("Queries by name") struct ScanPlannerTests {
  private func plan(_ counts: [Int64], shard: RecountShard = .whole, _ strategy: ScanStrategy? = .byTarget)
    -> ScanPlan
  {
    var table = RecountTargets()
    for (number, count) in counts.enumerated() {
      let row = RecountTargets.Row(target: 0, recordName: "\(number)", current: .int64(count))
      table.add(row, group: "\(number)")
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
    #expect(plan([0, 0, 0], shard: try #require(RecountShard(1, of: 2)), nil).strategy == .byTarget)
  }
}

extension ZipfDistribution {
  fileprivate var shares: [Double] {
    let total = sums.last ?? 1
    return zip(sums, [0] + sums).map { ($0 - $1) / total }
  }
}
