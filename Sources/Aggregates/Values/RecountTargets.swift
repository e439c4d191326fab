internal import CloudKitModel
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

/// All target records of an aggregate with their present values. The memory of a recount grows with this table.
struct RecountTargets: Sendable {
  /// The part of a target record that a recount keeps: no stamps, because they name users.
  struct Row: Sendable {
    var target: Int
    var recordName: String
    var group = 0
    var current: FieldValue?
    var changeTag: String?
  }

  /// Limits a stored count, so that the sum of all stored counts cannot overflow.
  private static let maxExpected = Double(1 << 32)

  /// The names that sources can count toward, in a stable order.
  private(set) var groups: [String] = []
  /// True for a group with a target that is not a copy.
  private(set) var exists: [Bool] = []
  /// The last count of each group, for planning only; 0 where it is not known.
  private(set) var expected: [Int64] = []
  private(set) var rows: [Row] = []
  private var indexes: [String: Int] = [:]
  /// Whether the stored values are numbers of sources. A sum or a maximum does not say how many there are.
  private let holdsCounts: Bool

  /// - Parameter groups: get the first indexes, in this order, as in the run that is continued.
  init(groups: [String] = [], holdsCounts: Bool = true) {
    self.holdsCounts = holdsCounts
    for group in groups where indexes[group] == nil { _ = append(group) }
  }

  /// Whether an earlier run counted sources.
  var hasCounts: Bool { holdsCounts && rows.contains { $0.current != nil } }

  func index(of group: String) -> Int? { indexes[group] }

  mutating func add(_ row: Row, group: String, isCopy: Bool = false) {
    let index = indexes[group] ?? append(group)
    rows.append(row)
    rows[rows.count - 1].group = index
    if !isCopy {
      exists[index] = true
      guard holdsCounts else { return }
      let last = min(row.current?.number ?? 0, Self.maxExpected)
      expected[index] = max(expected[index], Int64(exactly: last.rounded()) ?? 0)
    }
  }

  private mutating func append(_ group: String) -> Int {
    indexes[group] = groups.count
    groups.append(group)
    exists.append(false)
    expected.append(0)
    return groups.count - 1
  }

  /// Reads the needed fields of all targets: each type page by page, the types in parallel.
  static func load(
    _ declaration: AggregateDeclaration, shard: RecountShard, groups: [String] = [],
    from container: any Container
  ) async throws -> RecountTargets {
    // In the order of the declaration, so that each run gives the groups the same indexes.
    let targets = declaration.targets
    var table = RecountTargets(groups: groups, holdsCounts: declaration.operation == .count)
    try await OrderedTaskPool().run(Array(targets.enumerated())) { number, target in
      try await read(target, number, shard: shard, from: container)
    } take: { rows in
      for (group, row) in rows { table.add(row, group: group, isCopy: targets[row.target].isCopy) }
    }
    return table
  }

  /// The targets, each with its group. One whose field for the group is empty is left out.
  private static func read(
    _ target: AggregateDeclaration.Target, _ number: Int, shard: RecountShard, from container: any Container
  ) async throws -> [(group: String, row: Row)] {
    var rows: [(group: String, row: Row)] = []
    let keys = [target.field] + (target.groupField.map { [$0] } ?? [])
    try await container.forEachRecord(of: Query(target.recordType), desiredKeys: keys) { record in
      let name = target.groupField.map { record[$0]?.referredName } ?? record.recordName
      guard let name, shard.contains(name) else { return }
      let row = Row(
        target: number, recordName: record.recordName, current: record[target.field],
        changeTag: record.changeTag)
      rows.append((name, row))
    }
    return rows
  }
}

/// The values that targets should have after a scan, and the changes to get there.
struct TargetUpdates {
  let declaration: AggregateDeclaration
  let table: RecountTargets
  let scan: ScanCheckpoint
  let minPublished: Int64
  private let complete: [Bool]
  private let types: [ScalarType]
  /// Whether the values are dates, of which no percentage can be taken: then a drop is the number of dates that stay or
  /// get later.
  let areDates: Bool
  private let sumsIntegers: Bool

  init(
    declaration: AggregateDeclaration, schema: Schema, table: RecountTargets, scan: ScanCheckpoint,
    minPublished: Int64
  ) {
    self.declaration = declaration
    self.table = table
    self.scan = scan
    self.minPublished = minPublished
    complete = scan.completeGroups
    types = declaration.targets.map { target in
      let type = schema[recordType: target.recordType]?[field: target.field]?.type
      return type.map(FieldType.init)?.element ?? .int64
    }
    let source = declaration.operation.field.flatMap {
      schema[recordType: declaration.source.recordType]?[field: $0]?.type
    }
    sumsIntegers = source == .int64
    areDates = source == .timestamp || types.contains(.timestamp)
  }

  /// Numbers, copies included, whose sources were not all read. This includes those of targets that were created after
  /// the scan began.
  var unread: Int { table.rows.count { !isComplete($0.group) } }

  /// Lazy, because a dry run shows only a few.
  var changes: some Sequence<RecordChange> {
    table.rows.lazy.compactMap { row -> RecordChange? in
      guard let change = change(of: row) else { return nil }
      let target = declaration.targets[row.target]
      return RecordChange(
        .update, recordType: target.recordType, recordName: row.recordName, changeTag: row.changeTag,
        fields: [target.field: change])
    }
  }

  var changedRows: Int { table.rows.count { change(of: $0) != nil } }

  /// The records, copies included, that stay as they are because their fields cannot hold the new numbers.
  var outOfRange: [String] { table.rows.filter { isComplete($0.group) && !fits($0) }.map(\.recordName) }

  private func change(of row: RecountTargets.Row) -> FieldChange? {
    guard isComplete(row.group), fits(row) else { return nil }
    let change = FieldChange(from: row.current, to: value(of: row))
    return change.isEmpty ? nil : change
  }

  private func fits(_ row: RecountTargets.Row) -> Bool {
    published(row.group) == nil || value(of: row) != nil
  }

  private func value(of row: RecountTargets.Row) -> FieldValue? {
    let type = types[row.target]
    // A sum of whole numbers that was once too large is not exact any more.
    if sumsIntegers, type != .double, case .real? = published(row.group) { return nil }
    return published(row.group)?.fieldValue(as: type)
  }

  /// Stored and new values for the drop guard. A value that goes away falls to 0.
  ///
  /// - Parameter madeUp: as if made-up names were counted.
  func watched(with madeUp: [Int: Int64] = [:]) -> [SuddenDropCheck.Drop] {
    table.rows.compactMap { row in
      let target = declaration.targets[row.target]
      guard isComplete(row.group), !target.isCopy else { return nil }
      let current = GroupValue(row.current)
      let new = scan.tally.measures[row.group]
      if areDates {
        let stays = current.map { $0.number <= new?.number ?? -.infinity } ?? false
        return SuddenDropCheck.Drop(
          from: .integer(current == nil ? 0 : 1), to: .integer(stays ? 1 : 0), countsDates: true)
      }
      return SuddenDropCheck.Drop(
        recordType: target.recordType, recordName: row.recordName,
        field: declaration.hasSeveralFields ? target.field : nil,
        from: current ?? .integer(0),
        to: (new ?? .integer(0)) + .integer(declaration.operation == .count ? madeUp[row.group] ?? 0 : 0))
    }
  }

  private func isComplete(_ group: Int) -> Bool { group < complete.count && complete[group] }

  private func published(_ group: Int) -> GroupValue? {
    guard let measure = scan.tally.measures[group] ?? declaration.operation.empty else { return nil }
    let isHidden = declaration.operation == .count && measure.number < Double(minPublished)
    return isHidden ? .integer(0) : measure
  }
}
