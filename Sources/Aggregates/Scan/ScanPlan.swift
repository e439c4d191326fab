internal import CloudKitModel

package enum ScanStrategy: String, Sendable, Hashable, CaseIterable {
  /// The container counts the groups itself. Finds orphans.
  case pushdown
  /// One query for all sources, page after page. Finds orphans.
  case sweep
  /// Many queries in parallel, each for the sources of up to 100 names. Finds no orphans.
  case byTarget = "by-target"

  /// - Parameter word: as on the command line; `binned` is another word for `by-target`.
  package init?(word: String) { self.init(rawValue: word == "binned" ? "by-target" : word) }
}

/// One query of a scan. It is read, retried and saved as a whole.
struct ScanQuery: Sendable, Hashable {
  /// Indexes of the groups that this query completes; `nil` for all that are ``covered``.
  var groups: [Int]?
  /// How many groups this query may count: the first ones. A query for all groups covers those that existed when the scan
  /// began: of later ones it has not seen all sources.
  var covered: Int
  var expectedRows: Int64
}

/// The queries of a scan and their expected cost.
package struct ScanPlan: Sendable, Hashable {
  package var strategy: ScanStrategy
  /// Sources, from the last counts. They may be old; this affects the cost, not the result.
  package var expectedSources: Int64
  package var expectedRequests: Int64
  /// At the assumed latency and rate.
  package var expectedSeconds: Double
  var units: [ScanQuery]
}

/// The planner's assumptions about the container and the network.
package struct ScanCostAssumptions: Sendable, Hashable {
  /// Seconds from request to reply.
  package var latency = 0.15
  /// Requests a second over all connections (Documentation/reference/web-services.md#limits).
  package var requestsPerSecond = 40.0
  /// Queries in flight, 1 or more.
  package var concurrency = 12
  /// Records of a full page.
  static let pageSize: Int64 = 200

  static func pages(_ records: Int64) -> Int64 { (records + pageSize - 1) / pageSize }

  /// Seconds for units that run in parallel, when the longest of them reads `longest` pages one after the other.
  func seconds(requests: Int64, longest: Int64, sideBySide: Int) -> Double {
    let lanes = Double(max(1, min(sideBySide, concurrency)))
    let throughput = min(requestsPerSecond, lanes / latency)
    return max(Double(requests) / throughput, Double(longest) * max(latency, 1 / requestsPerSecond))
  }
}

struct ScanPlanner {
  let declaration: AggregateDeclaration
  let table: RecountTargets
  let shard: RecountShard
  let assumptions: ScanCostAssumptions
  let canPushDown: Bool

  /// - Parameter strategy: the user's choice; `nil` chooses by cost.
  func plan(_ strategy: ScanStrategy?, needsOrphans: Bool) -> ScanPlan {
    if let strategy { return plan(strategy) }
    if canPushDown, declaration.operation == .count { return plan(.pushdown) }
    if needsOrphans { return plan(.sweep) }
    // A sweep reads the sources of all shards.
    if !shard.isWhole { return plan(.byTarget) }
    let sweep = plan(.sweep)
    // Without last counts, it is unknown which names have many sources.
    if expectedSources == 0 { return sweep }
    let byTarget = plan(.byTarget)
    // A sweep also finds orphans, so queries by name must be clearly faster.
    return byTarget.expectedSeconds < sweep.expectedSeconds * 0.8 ? byTarget : sweep
  }

  private func plan(_ strategy: ScanStrategy) -> ScanPlan {
    switch strategy {
    case .pushdown: plan(strategy, [])
    case .sweep:
      plan(
        strategy,
        [ScanQuery(groups: nil, covered: table.groups.count, expectedRows: expectedSourcesOfAllShards)])
    case .byTarget: plan(strategy, queries(for: table.groups.indices))
    }
  }

  private var expectedSources: Int64 { table.expected.reduce(0, +) }

  private var expectedSourcesOfAllShards: Int64 {
    let (product, overflows) = expectedSources.multipliedReportingOverflow(by: Int64(shard.count))
    // Half of the maximum leaves room to add a page.
    return overflows ? Int64.max / 2 : min(product, Int64.max / 2)
  }

  /// Queries for all names, the largest first, so that no long one is left running alone at the end.
  ///
  /// A chunk closes at ``ContainerLimits/namesPerQuery``, or at 1/48 of the expected rows when a dozen queries are in flight: without that
  /// bound the largest groups would share one query, whose pages can only be read one after the other. Below ten pages
  /// it does not close for its rows, because the last page of each chunk is half empty on average.
  ///
  /// - Parameter groups: by index.
  func queries(for groups: Range<Int>) -> [ScanQuery] {
    let maxRows = max(expectedSources / Int64(assumptions.concurrency * 4), 10 * ScanCostAssumptions.pageSize)
    let largestFirst = groups.sorted { (table.expected[$1], $0) < (table.expected[$0], $1) }
    var chunks: [ScanQuery] = []
    let none = ScanQuery(groups: [], covered: table.groups.count, expectedRows: 0)
    var open = none
    for group in largestFirst {
      let rows = table.expected[group]
      if let names = open.groups, !names.isEmpty,
        names.count == ContainerLimits.namesPerQuery || open.expectedRows + rows > maxRows
      {
        chunks.append(open)
        open = none
      }
      open.groups?.append(group)
      open.expectedRows += rows
    }
    return open.groups?.isEmpty == true ? chunks : chunks + [open]
  }

  private func plan(_ strategy: ScanStrategy, _ units: [ScanQuery]) -> ScanPlan {
    // An empty result is one page, too.
    let requests = units.map { max(1, ScanCostAssumptions.pages($0.expectedRows)) }
    let total = requests.reduce(0, +)
    return ScanPlan(
      strategy: strategy,
      expectedSources: units.isEmpty ? expectedSources : units.reduce(0) { $0 + $1.expectedRows },
      expectedRequests: total,
      expectedSeconds: assumptions.seconds(
        requests: total, longest: requests.max() ?? 0, sideBySide: units.count), units: units)
  }
}
