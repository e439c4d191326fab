internal import CloudKitModel

/// Chooses how to read the sources, by cost.
struct ScanPlanner {
  let declaration: AggregateDeclaration
  let table: TargetTable
  let shard: Shard
  let assumptions: ScanAssumptions
  /// The container groups on the spot.
  let canPushDown: Bool
  /// Runs that divide the hash space between them.
  var portions = 1

  /// - Parameter strategy: what the user asked for; `nil` leaves the choice to the cost.
  func plan(_ strategy: ScanStrategy?, needsOrphans: Bool) -> ScanPlan {
    if let strategy { return plan(strategy) }
    if canPushDown, declaration.operation == .count { return plan(.pushdown) }
    // Never `bucketed` unasked: a record without the field, from an older client, answers no range.
    let sweep = plan(.sweep)
    // Without last results there is nothing to pack bins by.
    if needsOrphans || expectedHere == 0 && shard.isWhole { return sweep }
    // A sweep also finds orphans: something else must be clearly quicker.
    let binned = plan(.binned)
    return binned.expectedSeconds < sweep.expectedSeconds * 0.8 ? binned : sweep
  }

  private func plan(_ strategy: ScanStrategy) -> ScanPlan {
    switch strategy {
    case .pushdown:
      ScanPlan(
        strategy: strategy, expectedSources: expectedHere, expectedRequests: 0, expectedSeconds: 0, units: [])
    case .sweep:
      plan(strategy, [ScanUnit(groups: nil, buckets: nil, expectedRows: expectedEverywhere)])
    case .bucketed: plan(strategy, bucketUnits(256))
    case .binned: plan(strategy, bins(of: Array(table.groups.indices)))
    }
  }

  /// The last results of this part, and what they suggest for all parts.
  private var expectedHere: Int64 { table.expected.reduce(0, +) }
  private var expectedEverywhere: Int64 { everywhere(expectedHere) }

  private func everywhere(_ rows: Int64) -> Int64 {
    let (product, overflows) = rows.multipliedReportingOverflow(by: Int64(shard.count))
    // Far above what anybody has, and room left for adding a page.
    return overflows ? Int64.max / 2 : min(product, Int64.max / 2)
  }

  /// Bins for what is known of the targets while the others are still being read; none when a sweep may yet turn
  /// out to be the better choice.
  func earlyBins(of groups: [Int], _ strategy: ScanStrategy?) -> [ScanUnit] {
    let bins = plan(.binned, bins(of: groups))
    let rows = everywhere(bins.expectedSources)
    let sweep = plan(.sweep, [ScanUnit(groups: nil, buckets: nil, expectedRows: rows)])
    return strategy == .binned || bins.expectedSeconds < sweep.expectedSeconds * 0.5 ? bins.units : []
  }

  /// The plan when some bins have been begun: the others hold the remaining groups.
  func plan(after begun: [ScanUnit]) -> ScanPlan {
    let settled = Set(begun.flatMap { $0.groups ?? [] })
    return plan(.binned, begun + bins(of: table.groups.indices.filter { !settled.contains($0) }))
  }

  private func bins(of groups: [Int]) -> [ScanUnit] {
    let expected = groups.map { table.expected[$0] }
    var limits = BinPacking.Limits()
    limits.page = assumptions.pageSize
    // A bin of 50 pages wastes one in a hundred.
    limits.wantedBins = Int(
      min(Int64(assumptions.concurrency * 4), expected.reduce(0, +) / (50 * limits.page)))
    return BinPacking.pack(expected, limits: limits).map { places in
      ScanUnit(
        groups: places.map { groups[$0] }, buckets: nil,
        expectedRows: places.reduce(0) { $0 + expected[$1] })
    }
    // The longest first, so that none is left running alone at the end.
    .sorted { $0.expectedRows > $1.expectedRows }
  }

  /// As many ranges as keep the connections busy, without splitting what fits a few pages.
  private func bucketUnits(_ buckets: Int) -> [ScanUnit] {
    let pages = expectedEverywhere / assumptions.pageSize
    let useful = Int(min(pages / 10, Int64(assumptions.concurrency * 4)))
    let wanted = min(buckets, max(1, portions, useful))
    return (0..<wanted).map { number in
      let range = (number * buckets / wanted)...((number + 1) * buckets / wanted - 1)
      let share = expectedEverywhere * Int64(range.count) / Int64(buckets)
      return ScanUnit(groups: nil, buckets: range, expectedRows: share)
    }
  }

  private func plan(_ strategy: ScanStrategy, _ units: [ScanUnit]) -> ScanPlan {
    let requests = units.map { $0.expectedRequests(page: assumptions.pageSize) }
    let total = requests.reduce(0, +)
    return ScanPlan(
      strategy: strategy, expectedSources: units.reduce(0) { $0 + $1.expectedRows }, expectedRequests: total,
      expectedSeconds: assumptions.seconds(
        requests: total, longest: requests.max() ?? 0, sideBySide: units.count), units: units)
  }
}

extension ScanUnit {
  /// The query for this unit. Types are those of the schema: a REFERENCE field takes references in its filter.
  func query(of source: AggregateDeclaration.Source, groups names: [String], isReference: Bool) -> Query {
    var query = Query(source.recordType, filters: source.filters)
    if let groups {
      let members = groups.map { names[$0] }
      let list: FieldValue = isReference ? .references(members) : .strings(members)
      query.filters.append(Filter(.init(source.groupField), .in, list))
    }
    if let buckets, let field = source.bucketField, buckets.count < 256 {
      let name = FieldName(field)
      query.filters.append(Filter(name, .greaterThanOrEquals, .int64(Int64(buckets.lowerBound))))
      query.filters.append(Filter(name, .lessThanOrEquals, .int64(Int64(buckets.upperBound))))
    }
    return query
  }
}
