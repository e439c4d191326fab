internal import CloudKitModel
internal import Diagnostics
internal import Platform

/// The count, sum or maximum over the sources of one group so far.
enum GroupValue: Sendable, Hashable {
  case integer(Int64)
  case real(Double)

  /// A source's value for a sum or a maximum; `nil` unless it is a number or a time.
  init?(_ value: FieldValue?) {
    switch value {
    case .int64(let value)?: self = .integer(value)
    case .double(let value)?: self = .real(value)
    case .timestamp(let value)?: self = .integer(value.milliseconds)
    default: return nil
    }
  }

  var number: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }

  /// 0 in place of a value below it.
  var positive: GroupValue { number < 0 ? .integer(0) : self }

  /// A sum of whole numbers beyond the range of INT64 is ``real(_:)``.
  static func + (left: Self, right: Self) -> Self {
    guard case .integer(let a) = left, case .integer(let b) = right else {
      return .real(left.number + right.number)
    }
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .real(left.number + right.number) : .integer(sum)
  }

  /// As it is printed: a whole number in all its digits.
  var printed: JSONValue {
    switch self {
    case .integer(let value): .integer(value)
    case .real(let value): Int64(exactly: value).map(JSONValue.integer) ?? .double(value)
    }
  }

  /// The value for a target field of this type, rounded where the field is an INT64; `nil` if it is out of the field's range.
  func fieldValue(as type: ScalarType) -> FieldValue? {
    switch (self, type) {
    case (.integer(let value), .timestamp): .timestamp(Timestamp(milliseconds: value))
    case (_, .double): number.isFinite ? .double(number) : nil
    case (.integer(let value), _): .int64(value)
    case (.real(let value), _): Int64(exactly: value.rounded()).map(FieldValue.int64)
    }
  }
}

extension AggregateDeclaration.Operation {
  func combine(_ a: GroupValue?, _ b: GroupValue) -> GroupValue {
    guard let a else { return b }
    switch (self, a, b) {
    case (.max, .integer(let a), .integer(let b)): return .integer(Swift.max(a, b))
    case (.max, _, _): return a.number >= b.number ? a : b
    default: return a + b
    }
  }

  /// The value of a group without sources: 0 for counts and sums, none for a maximum.
  var empty: GroupValue? { if case .max = self { nil } else { .integer(0) } }
}

/// Results by group, from the sources read so far. The tallies of separate units can be merged.
struct GroupTally: Sendable, Hashable {
  /// By the group's index in the target table; a group without sources is absent.
  var measures: [Int: GroupValue] = [:]
  /// Sources that were counted, orphans included.
  var sources: Int64 = 0
  /// Sources that name a target that does not exist.
  var orphans: Int64 = 0
  /// Sources that were not counted because of their record name.
  var invalidNames: Int64 = 0
  /// The classes of the sources' names, as far as they were checked.
  var names = NameTally()
  /// Sources with made-up names by the group's index.
  var madeUp: [Int: Int64] = [:]

  mutating func merge(_ other: GroupTally, _ operation: AggregateDeclaration.Operation) {
    for (group, measure) in other.measures {
      measures[group] = operation.combine(measures[group], measure)
    }
    sources = sources.addingClamped(other.sources)
    orphans = orphans.addingClamped(other.orphans)
    invalidNames = invalidNames.addingClamped(other.invalidNames)
    names.add(other.names)
    madeUp.merge(other.madeUp) { $0.addingClamped($1) }
  }
}

struct SourceCounter: Sendable {
  let declaration: AggregateDeclaration
  let table: RecountTargets
  let shard: RecountShard
  /// Checks names against their creators; `nil` does not.
  var names: CreatorNames?
  var excludesMadeUp = false

  var desiredKeys: [String] {
    [declaration.source.groupField] + (declaration.operation.field.map { [$0] } ?? [])
  }

  /// Counts the records of a page.
  ///
  /// - Parameter covered: how many groups the query counts, the first ones; sources of other groups are orphans.
  func count(_ records: [Record], among covered: Int, into tally: inout GroupTally) {
    let checker = names.map(CreatorNames.Checker.init)
    for record in records { count(record, checker, among: covered, into: &tally) }
  }

  private func count(
    _ record: Record, _ checker: CreatorNames.Checker?, among covered: Int, into tally: inout GroupTally
  ) {
    let group = record[declaration.source.groupField]?.referredName ?? ""
    guard shard.contains(group) else { return }
    guard declaration.source.recordNames?.accepts(record.recordName) ?? true else {
      tally.invalidNames = tally.invalidNames.addingClamped(1)
      return
    }
    // It counts toward nothing: a query by target does not find it, and it is not an orphan.
    if group.isEmpty { return }
    if let checker {
      let kind = checker.check(record.recordName, group: group, creator: record.created?.userRecordName ?? "")
      tally.names.add(kind)
      if kind == .madeUp {
        addMadeUp(1, group: group, among: covered, into: &tally)
        if excludesMadeUp { return }
      }
    }
    let measure = declaration.operation.field.map { GroupValue(record[$0]) } ?? .integer(1)
    add(measure, sources: 1, group: group, among: covered, into: &tally)
  }

  func add(_ count: GroupCount, into tally: inout GroupTally) {
    if count.group.isEmpty { return }
    var sources = count.records
    if let names = count.names {
      tally.names.add(names)
      if names.madeUp > 0 {
        addMadeUp(names.madeUp, group: count.group, among: table.groups.count, into: &tally)
      }
      if excludesMadeUp { sources -= names.madeUp }
    }
    guard sources > 0 else { return }
    add(.integer(sources), sources: sources, group: count.group, among: table.groups.count, into: &tally)
  }

  private func addMadeUp(_ count: Int64, group: String, among covered: Int, into tally: inout GroupTally) {
    guard let index = table.index(of: group), index < covered else { return }
    tally.madeUp[index] = (tally.madeUp[index] ?? 0).addingClamped(count)
  }

  private func add(
    _ measure: GroupValue?, sources: Int64, group: String, among covered: Int, into tally: inout GroupTally
  ) {
    tally.sources = tally.sources.addingClamped(sources)
    let index = table.index(of: group).flatMap { $0 < covered ? $0 : nil }
    if index.map({ !table.exists[$0] }) ?? true { tally.orphans = tally.orphans.addingClamped(sources) }
    guard let index else { return }
    guard let measure else { return }
    tally.measures[index] = declaration.operation.combine(tally.measures[index], measure)
  }
}
