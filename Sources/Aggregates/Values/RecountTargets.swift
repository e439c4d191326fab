internal import CloudKitModel
internal import SchemaLanguage

/// All target records of an aggregate with their present values. The memory of a recount grows with this table.
struct RecountTargets: Sendable {
  /// One target record.
  struct Row: Sendable {
    var target: Int
    var recordName: String
    var group: Int
    var current: FieldValue?
    var changeTag: String?
  }

  /// Limits a stored count, so that the sum of all stored counts cannot overflow.
  private static let maxExpected: Int64 = 1 << 32

  /// The names that sources can count toward, in a stable order.
  private(set) var groups: [String] = []
  /// True for a group with a target that is not a copy.
  private(set) var exists: [Bool] = []
  /// The last count of each group, for planning only.
  private(set) var expected: [Int64] = []
  private(set) var rows: [Row] = []
  private var indexes: [String: Int] = [:]

  /// - Parameter groups: get the first indexes, in this order, as in the run that is continued.
  init(groups: [String] = []) {
    for group in groups where indexes[group] == nil { _ = append(group) }
  }

  func index(of group: String) -> Int? { indexes[group] }

  mutating func add(_ record: RecountTarget, of target: AggregateDeclaration.Target, number: Int) {
    let index = indexes[record.group] ?? append(record.group)
    rows.append(
      Row(
        target: number, recordName: record.recordName, group: index, current: record.current,
        changeTag: record.changeTag))
    if !target.isCopy {
      exists[index] = true
      let last = record.current.map { Int64(clamping: $0.number ?? 0) } ?? 0
      expected[index] = max(expected[index], min(last, Self.maxExpected))
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
    _ targets: [AggregateDeclaration.Target], shard: RecountShard, groups: [String] = [],
    from container: any Container
  ) async throws -> RecountTargets {
    let records = try await withThrowingTaskGroup(of: (Int, [RecountTarget]).self) { group in
      for (number, target) in targets.enumerated() {
        group.addTask { (number, try await read(target, shard: shard, from: container)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    // In the order of the declaration, so that each run gives the groups the same indexes.
    var table = RecountTargets(groups: groups)
    for (number, target) in targets.enumerated() {
      for record in records[number] ?? [] { table.add(record, of: target, number: number) }
    }
    return table
  }

  private static func read(
    _ target: AggregateDeclaration.Target, shard: RecountShard, from container: any Container
  ) async throws -> [RecountTarget] {
    var records: [RecountTarget] = []
    let keys = [target.field] + (target.groupField.map { [$0] } ?? [])
    try await container.forEachRecord(of: Query(target.recordType), desiredKeys: keys) { record in
      guard let row = RecountTarget(record, of: target), shard.contains(row.group) else { return }
      records.append(row)
    }
    return records
  }
}

/// The part of a target record that a recount keeps: no stamps, because they name users.
struct RecountTarget: Sendable {
  let recordName: String
  let group: String
  let current: FieldValue?
  var changeTag: String?
}

extension RecountTarget {
  /// `nil` when the field that names the group is empty.
  init?(_ record: Record, of target: AggregateDeclaration.Target) {
    let group: String? =
      if let field = target.groupField { record[field]?.groupName } else { record.recordName }
    guard let group else { return nil }
    self.init(
      recordName: record.recordName, group: group, current: record[target.field],
      changeTag: record.changeTag)
  }
}

extension FieldValue {
  /// The name in a STRING or REFERENCE field.
  var groupName: String? { string ?? reference?.recordName }
}
