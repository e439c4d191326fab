internal import CloudKitModel

/// Results by group, from the sources read so far. The tallies of separate units can be merged.
struct GroupTally: Sendable, Hashable {
  /// By the group's index in the target table; a group without sources is absent.
  var measures: [Int: GroupValue] = [:]
  /// Sources that were counted, orphans included.
  var sources: Int64 = 0
  /// Sources whose target does not exist.
  var orphans: Int64 = 0
  /// Sources that were not counted because of their record name.
  var invalidNames: Int64 = 0

  mutating func merge(_ other: GroupTally, _ operation: AggregateDeclaration.Operation) {
    for (group, measure) in other.measures {
      measures[group] = operation.combine(measures[group], measure)
    }
    sources += other.sources
    orphans += other.orphans
    invalidNames += other.invalidNames
  }
}

/// Adds source records to a tally.
struct SourceCounter: Sendable {
  let declaration: AggregateDeclaration
  let table: RecountTargets
  let shard: RecountShard

  /// The fields to read.
  var desiredKeys: [String] {
    [declaration.source.groupField] + (declaration.operation.field.map { [$0] } ?? [])
  }

  func count(_ record: Record, into tally: inout GroupTally) {
    let group = record[declaration.source.groupField]?.groupName ?? ""
    guard shard.contains(group) else { return }
    guard declaration.source.recordNames?.accepts(record.recordName) ?? true else {
      tally.invalidNames += 1
      return
    }
    let measure = declaration.operation.field.map { GroupValue(record[$0]) } ?? .integer(1)
    add(measure, sources: 1, group: group, into: &tally)
  }

  func add(_ measure: GroupValue?, sources: Int64, group: String, into tally: inout GroupTally) {
    tally.sources += sources
    let index = table.index(of: group)
    if index.map({ !table.exists[$0] }) ?? true { tally.orphans += sources }
    guard let index, let measure else { return }
    tally.measures[index] = declaration.operation.combine(tally.measures[index], measure)
  }
}
