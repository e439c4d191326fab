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
