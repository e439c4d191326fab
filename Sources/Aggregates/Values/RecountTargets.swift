internal import CloudKitModel
internal import Platform
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
