public import CloudKitModel
internal import GRDB
internal import SchemaLanguage

extension LocalContainer: GroupCountingContainer {
  /// Counts records by the value of a field, in SQL, using the field's index if it has one. Records without a value
  /// are counted in the group `""`.
  ///
  /// Throws the same ``ServiceRefusal`` as a query with these filters. `body` is called for each group while the database
  /// is read, and must not write to it.
  @discardableResult
  public func countGroups(_ request: GroupCountRequest, _ body: (String, Int64) throws -> Void) async throws
    -> Int64
  {
    do {
      return try store.countGroups(request, in: environment, as: caller, body)
    } catch let refusal as ServiceRefusal {
      throw refusal.error
    }
  }
}

extension LocalStore {
  /// Blocks its thread until the last group, so that `body` may use the caller's variables.
  func countGroups(
    _ request: GroupCountRequest, in environment: Environment, as identity: CallerIdentity,
    _ body: (String, Int64) throws -> Void
  ) throws -> Int64 {
    do {
      return try database.read { db in
        let layout = try self.layout(db, environment)
        let runner = QueryRunner(db: db, layout: layout, identity: identity, settings: settings)
        guard let counts = try runner.groupCounts(request) else { return 0 }
        let leftOut = try counts.leftOut.flatMap { try db.first($0.sql, $0.values) { $0.integer(0) } } ?? 0
        let groups = counts.groups(leavingOut: leftOut > 0)
        // SQL counts missing values and empty texts separately; here both are the group "".
        var empty: Int64 = 0
        try db.forEachRow(groups.sql, groups.values) { row in
          let group = row.text(0)
          if group.isEmpty { empty += row.integer(1) } else { try body(group, row.integer(1)) }
        }
        if empty > 0 { try body("", empty) }
        return leftOut
      }
    } catch {
      throw StorageFailure.failure(error, container: name, reading: isReadOnly)
    }
  }
}

extension QueryRunner {
  /// `nil` if the caller may read none of the records.
  fileprivate func groupCounts(_ request: GroupCountRequest) throws -> GroupCountSQL? {
    let query = Query(request.recordType, filters: request.filters)
    try check(query)
    guard let table = layout[recordType: request.recordType] else { return nil }
    guard let column = table[field: request.groupField] else {
      let problem = QueryProblem.unknownField(request.groupField, recordType: request.recordType)
      throw ServiceRefusal(problem.serverError, problem.explanation)
    }
    guard column.type == .scalar(.string) || column.type == .scalar(.reference) else {
      throw ServiceRefusal(
        .badRequest, "BadRequestException: Unexpected input",
        "\(request.groupField) is a \(column.field.type); only STRING and REFERENCE fields can be counted by value"
      )
    }
    guard let conditions = try conditions(query, table) else { return nil }
    return GroupCountSQL(
      column: column, table: table, tables: layout.tables, conditions: conditions,
      rule: request.recordNames)
  }
}

/// The SQL statements of one grouped count.
private struct GroupCountSQL {
  let column: FieldColumn
  let table: RecordTypeTable
  let tables: EnvironmentTables
  let conditions: [SQLFragment]
  let rule: RecordNameRule?

  /// Counts the records whose name breaks the rule, using an index that holds only those.
  var leftOut: SQLFragment? {
    breakers.map { select("count(*)", where: "t._id IN (\($0))") }
  }

  func groups(leavingOut: Bool) -> SQLFragment {
    let names = leavingOut ? breakers.map { "t._id NOT IN (\($0))" } ?? "1" : "1"
    var fragment = select("t.\(column.sql), count(*)", where: names)
    fragment.sql += " GROUP BY t.\(column.sql)"
    return fragment
  }

  private var breakers: String? {
    rule.map { "SELECT id FROM \(tables.record) WHERE type = \(table.id) AND (\($0.violation))" }
  }

  private func select(_ expressions: String, where condition: String) -> SQLFragment {
    // Join the directory only if a condition needs it: without it, the count reads a single index.
    let needsDirectory = conditions.contains { $0.sql.contains("r.") }
    let source = needsDirectory ? "\(table.sql) t JOIN \(tables.record) r ON r.id = t._id" : "\(table.sql) t"
    let all = [condition] + conditions.map(\.sql)
    return SQLFragment(
      sql: "SELECT \(expressions) FROM \(source) WHERE \(all.joined(separator: " AND "))",
      values: conditions.flatMap(\.values))
  }
}

extension RecordNameRule {
  /// The SQL condition for a directory row whose name breaks the rule. The rule's index uses the same condition.
  var violation: String {
    switch self {
    case .sha256: "length(name) <> 64 OR name GLOB '*[^0-9a-f]*'"
    }
  }
}
