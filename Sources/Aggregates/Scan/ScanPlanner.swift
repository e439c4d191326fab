internal import CloudKitModel
internal import SchemaLanguage

/// Chooses how to read the sources, by cost.
struct ScanPlanner {
  /// Names in one query. Failures were reported above about 193 (Documentation/reference/web-services.md#in-filters).
  static let maxNames = 100

  let declaration: AggregateDeclaration
  let table: RecountTargets
  let shard: RecountShard
  let assumptions: ScanCostAssumptions
  /// The container can count groups itself.
  let canPushDown: Bool

  /// - Parameter strategy: the user's choice; `nil` chooses by cost.
  func plan(_ strategy: ScanStrategy?, needsOrphans: Bool) -> ScanPlan {
    if let strategy { return plan(strategy) }
    if canPushDown, declaration.operation == .count { return plan(.pushdown) }
    if needsOrphans { return plan(.sweep) }
    // A sweep reads the sources of all shards.
    if !shard.isWhole { return plan(.names) }
    let sweep = plan(.sweep)
    // Without last counts, it is unknown which names have many sources.
    if expectedSources == 0 { return sweep }
    let names = plan(.names)
    // A sweep also finds orphans, so queries by name must be clearly faster.
    return names.expectedSeconds < sweep.expectedSeconds * 0.8 ? names : sweep
  }

  private func plan(_ strategy: ScanStrategy) -> ScanPlan {
    switch strategy {
    case .pushdown:
      ScanPlan(
        strategy: strategy, expectedSources: expectedSources, expectedRequests: 0, expectedSeconds: 0,
        units: [])
    case .sweep: plan(strategy, [ScanQuery(groups: nil, expectedRows: expectedSourcesOfAllShards)])
    case .names: plan(strategy, chunks)
    }
  }

  /// The last counts of this shard.
  private var expectedSources: Int64 { table.expected.reduce(0, +) }

  private var expectedSourcesOfAllShards: Int64 {
    let (product, overflows) = expectedSources.multipliedReportingOverflow(by: Int64(shard.count))
    // Half of the maximum leaves room to add a page.
    return overflows ? Int64.max / 2 : min(product, Int64.max / 2)
  }

  /// Queries for all names, the largest first, so that no long one is left running alone at the end.
  ///
  /// A chunk closes at ``maxNames``, or at 1/48 of the expected rows when a dozen queries are in flight: without that
  /// bound the largest groups would share one query, whose pages can only be read one after the other. Below ten pages
  /// it does not close for its rows, because the last page of each chunk is half empty on average.
  private var chunks: [ScanQuery] {
    let maxRows = max(expectedSources / Int64(assumptions.concurrency * 4), 10 * assumptions.pageSize)
    let largestFirst = table.groups.indices.sorted {
      (table.expected[$1], $0) < (table.expected[$0], $1)
    }
    var chunks: [ScanQuery] = []
    var open = ScanQuery(groups: [], expectedRows: 0)
    for group in largestFirst {
      let rows = table.expected[group]
      if let names = open.groups, !names.isEmpty,
        names.count == Self.maxNames || open.expectedRows + rows > maxRows
      {
        chunks.append(open)
        open = ScanQuery(groups: [], expectedRows: 0)
      }
      open.groups?.append(group)
      open.expectedRows += rows
    }
    return open.groups?.isEmpty == true ? chunks : chunks + [open]
  }

  private func plan(_ strategy: ScanStrategy, _ units: [ScanQuery]) -> ScanPlan {
    let requests = units.map { $0.expectedRequests(page: assumptions.pageSize) }
    let total = requests.reduce(0, +)
    return ScanPlan(
      strategy: strategy, expectedSources: units.reduce(0) { $0 + $1.expectedRows }, expectedRequests: total,
      expectedSeconds: assumptions.seconds(
        requests: total, longest: requests.max() ?? 0, sideBySide: units.count), units: units)
  }
}

extension ScanQuery {
  /// The query of this unit. A REFERENCE field needs references in its filter.
  func query(of source: AggregateDeclaration.Source, groups names: [String], isReference: Bool) -> Query {
    var query = Query(source.recordType, filters: source.filters)
    if let groups {
      let members = groups.map { names[$0] }
      let list: FieldValue = isReference ? .references(members) : .strings(members)
      query.filters.append(Filter(.init(source.groupField), .in, list))
    }
    return query
  }
}
