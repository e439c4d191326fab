package import CloudKitModel
internal import GRDB
internal import SchemaLanguage

extension LocalContainer: GroupCountingContainer {
  /// Counts records by the value of a field, in SQL, using the field's index if it has one. Records without a value
  /// are counted in the group `""`. If there are many records, two connections each count half.
  ///
  /// Throws the same ``ServerError`` as a query with these filters. `body` is called while the database is read, and
  /// must not write to it.
  @discardableResult
  package func countGroups(_ request: GroupCountRequest, _ body: @escaping @Sendable ([GroupCount]) -> Void)
    async throws -> Int64
  {
    try checkMirrored(request.recordType)
    let ranges = try await reading { try $0.groupRanges(request) }
    return try await withThrowingTaskGroup(of: Int64.self) { parts in
      for range in ranges {
        parts.addTask { try await reading { try $0.countGroups(request, range, body) } }
      }
      return try await parts.reduce(0, +)
    }
  }
}

/// A range of group values in the order of their bytes, which is that of SQLite's indexes. A range without limits holds
/// every group.
private struct GroupRange: Sendable {
  var from: String?
  var below: String?

  /// SQL's comparisons with a limit leave out missing values, which belong before the empty text.
  var lacksMissingValues: Bool { from == nil && below != nil }
}

extension QueryRunner {
  /// Ranges that have about as many records each: two, or one for few records.
  fileprivate func groupRanges(_ request: GroupCountRequest) throws -> [GroupRange] {
    guard let counts = try groupCounts(request) else { return [] }
    if request.creatorNames != nil { return [GroupRange()] }
    guard let middle = try counts.middle(db), !middle.isEmpty else { return [GroupRange()] }
    return [GroupRange(below: middle), GroupRange(from: middle)]
  }

  /// Counts the groups of the range. Returns how many of its records were left out for their name.
  fileprivate func countGroups(
    _ request: GroupCountRequest, _ range: GroupRange, _ body: ([GroupCount]) -> Void
  ) throws -> Int64 {
    guard let counts = try groupCounts(request) else { return 0 }
    if let names = request.creatorNames {
      let (groups, leftOut) = try verifiedGroups(counts.creators, request.recordNames, names)
      body(groups)
      return leftOut
    }
    let leftOut = try counts.leftOut(range).flatMap { try db.first($0.sql, $0.values) { $0.integer(0) } } ?? 0
    let missing = range.lacksMissingValues ? counts.missingValues(leavingOut: leftOut > 0) : nil
    // SQL counts missing values and empty texts separately; here both are the group "".
    var empty = try missing.flatMap { try db.first($0.sql, $0.values) { $0.integer(0) } } ?? 0
    let groups = counts.groups(range, leavingOut: leftOut > 0)
    var batch: [GroupCount] = []
    try db.forEachRow(groups.sql, groups.values) { row in
      let count = GroupCount(group: row.text(0), records: row.integer(1))
      guard !count.group.isEmpty else { return empty += count.records }
      batch.append(count)
      if batch.count == 1000 {
        body(batch)
        batch.removeAll(keepingCapacity: true)
      }
    }
    if empty > 0 { batch.append(GroupCount(group: "", records: empty)) }
    body(batch)
    return leftOut
  }

  /// Counts groups and checks the name of each record on the way. Reads the records in the order of their row ids, in
  /// which SQLite joins the type's table with the directory fastest, and groups them here.
  ///
  /// - Returns: the counts by group, and how many records were left out because their name breaks the rule.
  private func verifiedGroups(
    _ creators: SQLFragment, _ rule: RecordNameRule?, _ names: CreatorNames
  ) throws -> (groups: [GroupCount], leftOut: Int64) {
    let checker = CreatorNames.Checker(names)
    var groups: [String: NameTally] = [:]
    var leftOut: Int64 = 0
    try db.forEachRow(creators.sql, creators.values) { row in
      row.withText(1) { name in
        guard rule?.accepts(name) ?? true else { return leftOut += 1 }
        let group = row.text(0)
        let kind = row.withText(0) { group in
          row.withText(2) { checker.check(name, group: group, creator: $0) }
        }
        groups[group, default: NameTally()].add(kind)
      }
    }
    return (groups.map { GroupCount(group: $0, names: $1) }, leftOut)
  }

  /// `nil` if the caller may read none of the records.
  private func groupCounts(_ request: GroupCountRequest) throws -> GroupCountSQL? {
    let query = Query(request.recordType, filters: request.filters)
    try check(query)
    guard let table = layout[recordType: request.recordType] else { return nil }
    guard let column = table[field: request.groupField] else {
      throw QueryProblem.unknownField(request.groupField, recordType: request.recordType).serverError
    }
    guard [.scalar(.string), .scalar(.reference), .scalar(.int64)].contains(column.type) else {
      throw ServerError.malformed(
        "\(request.groupField) is a \(column.field.type); only STRING, REFERENCE and INT64 fields can be counted by value"
      )
    }
    guard let conditions = try conditions(query, table) else { return nil }
    return GroupCountSQL(
      column: column, table: table, tables: layout.tables, conditions: conditions, rule: request.recordNames)
  }
}

private struct GroupCountSQL {
  let column: FieldColumn
  let table: RecordTypeTable
  let tables: EnvironmentTables
  let conditions: [SQLFragment]
  let rule: RecordNameRule?

  /// A group value with about as many records before it as after it: the median of the values at 15 record ids that lie
  /// equally far apart. `nil` for a narrow range of ids, when a second connection would take longer to open than it
  /// saves, and for a field without an index, when each half would read all records.
  func middle(_ db: Database) throws -> String? {
    guard column.hasColumnIndex else { return nil }
    // Two subqueries, because SQLite reads the whole table for a minimum and a maximum in one query.
    let bounds = "SELECT (SELECT min(_id) FROM \(table.sql)), (SELECT max(_id) FROM \(table.sql))"
    guard let (first, last) = try db.first(bounds, [], { ($0.integer(0), $0.integer(1)) }) else { return nil }
    // A damaged file can hold any numbers.
    let (span, isTooLarge) = last.subtractingReportingOverflow(first)
    guard !isTooLarge, span >= 20_000 else { return nil }
    let row = "SELECT \(column.sql) FROM \(table.sql) WHERE _id >= ? ORDER BY _id LIMIT 1"
    let samples = try (1...15).map { number in
      try db.first(row, [.integer(first + span / 16 * number)]) { $0.text(0) } ?? ""
    }
    return samples.sorted()[7]
  }

  /// Counts the records whose name breaks the rule, using an index that holds only those.
  func leftOut(_ range: GroupRange) -> SQLFragment? {
    breakers.map { breakers in
      var inRange = condition(range)
      if range.lacksMissingValues { inRange.sql = "(t.\(column.sql) IS NULL OR \(inRange.sql))" }
      return select("count(*)", [SQLFragment(sql: "t._id IN (\(breakers))"), inRange])
    }
  }

  func missingValues(leavingOut: Bool) -> SQLFragment {
    select("count(*)", [SQLFragment(sql: "t.\(column.sql) IS NULL"), names(leavingOut)])
  }

  func groups(_ range: GroupRange, leavingOut: Bool) -> SQLFragment {
    var fragment = select("t.\(column.sql), count(*)", [condition(range), names(leavingOut)])
    fragment.sql += " GROUP BY t.\(column.sql)"
    return fragment
  }

  /// Group, name and creator of each record, in the order of the row ids.
  var creators: SQLFragment {
    let condition = conditions.conjunction
    return SQLFragment(
      sql: """
        SELECT t.\(column.sql), r.name, (SELECT name FROM _user WHERE id = r.createdBy)
        FROM \(table.sql) t CROSS JOIN \(tables.record) r ON r.id = t._id
        WHERE \(condition.sql) ORDER BY t._id
        """,
      values: condition.values)
  }

  private func condition(_ range: GroupRange) -> SQLFragment {
    if let from = range.from { return SQLFragment(sql: "t.\(column.sql) >= ?", values: [.text(from)]) }
    if let below = range.below { return SQLFragment(sql: "t.\(column.sql) < ?", values: [.text(below)]) }
    return SQLFragment(sql: "1")
  }

  private func names(_ leavingOut: Bool) -> SQLFragment {
    SQLFragment(sql: leavingOut ? breakers.map { "t._id NOT IN (\($0))" } ?? "1" : "1")
  }

  private var breakers: String? {
    rule.map { "SELECT id FROM \(tables.record) WHERE type = \(table.id) AND (\($0.violation))" }
  }

  private func select(_ expressions: String, _ more: [SQLFragment]) -> SQLFragment {
    // Join the directory only if a condition needs it: without it, the count reads a single index.
    let needsDirectory = conditions.contains { $0.sql.contains("r.") }
    let source = needsDirectory ? "\(table.sql) t JOIN \(tables.record) r ON r.id = t._id" : "\(table.sql) t"
    let condition = (more + conditions).conjunction
    return SQLFragment(
      sql: "SELECT \(expressions) FROM \(source) WHERE \(condition.sql)", values: condition.values)
  }
}

extension RecordNameRule {
  /// The SQL condition for a directory row whose name breaks the rule. The rule's index uses the same condition.
  var violation: String { "length(name) <> 64 OR name GLOB '*[^0-9a-f]*'" }
}
