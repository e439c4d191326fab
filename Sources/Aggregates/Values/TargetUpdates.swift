internal import CloudKitModel
internal import RecordChanges
internal import SchemaLanguage

/// The values that targets should have after a scan, and the changes to get there.
struct TargetUpdates {
  let declaration: AggregateDeclaration
  let table: RecountTargets
  let scan: ScanCheckpoint
  let minPublished: Int64
  private let complete: [Bool]
  /// The type of each target's field.
  private let types: [ScalarType]

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
  }

  /// Numbers, copies included, whose sources were not all read. This includes those of targets that were created after
  /// the scan began.
  var unread: Int { table.rows.count { !isComplete($0.group) } }

  /// Lazy, because a dry run shows only a few.
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

  private func change(of row: RecountTargets.Row) -> FieldChange? {
    guard isComplete(row.group) else { return nil }
    let value = published(row.group).map { $0.fieldValue(as: types[row.target]) }
    let change = FieldChange(from: row.current, to: value)
    return change.isEmpty ? nil : change
  }

  /// Stored and new values for the drop guard. Only counts are checked: a sum or a maximum may drop for good reasons.
  var watched: [SuddenDropCheck.Drop] { watched { _ in 0 } }

  /// The same as if made-up names were counted.
  var watchedWithMadeUp: [SuddenDropCheck.Drop] { watched { Double(scan.tally.madeUp[$0] ?? 0) } }

  private func watched(adding extra: (Int) -> Double) -> [SuddenDropCheck.Drop] {
    guard declaration.operation == .count else { return [] }
    return table.rows.compactMap { row in
      let target = declaration.targets[row.target]
      guard isComplete(row.group), !target.isCopy else { return nil }
      return SuddenDropCheck.Drop(
        recordType: target.recordType, recordName: row.recordName, from: row.current?.number ?? 0,
        to: (scan.tally.measures[row.group]?.number ?? 0) + extra(row.group))
    }
  }

  private func isComplete(_ group: Int) -> Bool { group < complete.count && complete[group] }

  private func published(_ group: Int) -> GroupValue? {
    guard let measure = scan.tally.measures[group] ?? declaration.operation.empty else { return nil }
    let isHidden = declaration.operation == .count && measure.number < Double(minPublished)
    return isHidden ? .integer(0) : measure
  }
}
