internal import CloudKitModel
internal import RecordChanges
internal import SchemaLanguage

/// What the targets should hold after a scan, and how that differs from what they hold.
struct TargetValues {
  let declaration: AggregateDeclaration
  let table: TargetTable
  let scan: Checkpoint
  let minimumPublished: Int64
  private let proven: [Bool]
  /// Of each target's field.
  private let types: [ScalarType]

  init(
    declaration: AggregateDeclaration, schema: Schema, table: TargetTable, scan: Checkpoint,
    minimumPublished: Int64
  ) {
    self.declaration = declaration
    self.table = table
    self.scan = scan
    self.minimumPublished = minimumPublished
    proven = scan.provenGroups
    types = declaration.targets.map { target in
      let type = schema[recordType: target.recordType]?[field: target.field]?.type
      return type.map(FieldType.init)?.element ?? .int64
    }
  }

  /// Groups whose sources were not all read. A target made after the scan began is among them.
  var unprovenGroups: Int { table.groups.indices.count { !isProven($0) } }

  /// Each made when it is asked for: a dry run shows a few of them.
  var changes: some Sequence<RecordChange> {
    table.rows.lazy.compactMap { row in
      guard let change = change(of: row) else { return nil }
      let target = declaration.targets[row.target]
      return RecordChange(
        .update, recordType: target.recordType, recordName: row.recordName, changeTag: row.changeTag,
        fields: [target.field: change])
    }
  }

  var changedRows: Int { table.rows.count { change(of: $0) != nil } }
  var hasChanges: Bool { table.rows.contains { change(of: $0) != nil } }

  private func change(of row: TargetTable.Row) -> FieldChange? {
    guard isProven(row.group) else { return nil }
    let value = published(row.group).map { $0.fieldValue(as: types[row.target]) }
    let change = FieldChange(from: row.current, to: value)
    return change.isEmpty ? nil : change
  }

  /// Former and true values, for the guard. Only a count falls for a reason that can be doubted.
  var watched: [DropGuard.Value] {
    guard declaration.operation == .count else { return [] }
    return table.rows.compactMap { row in
      let target = declaration.targets[row.target]
      guard isProven(row.group), !target.isCopy else { return nil }
      return DropGuard.Value(
        recordType: target.recordType, recordName: row.recordName, from: row.current?.number ?? 0,
        to: scan.tally.measures[row.group]?.number ?? 0)
    }
  }

  private func isProven(_ group: Int) -> Bool { group < proven.count && proven[group] }

  private func published(_ group: Int) -> Measure? {
    guard let measure = scan.tally.measures[group] ?? declaration.operation.empty else { return nil }
    let isHidden = declaration.operation == .count && measure.number < Double(minimumPublished)
    return isHidden ? .integer(0) : measure
  }
}
