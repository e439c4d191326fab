public import CloudKitModel
internal import GRDB
internal import SchemaLanguage

extension LocalContainer: GroupCounting {
  /// Counts in SQL, over the field's index when it has one; records without a value in the field are left out.
  ///
  /// The query must be one that the container would answer page by page, so its refusals are the same. `body` is
  /// called while the database is being read and must not write to it.
  public func countGroups(_ request: GroupCountRequest, _ body: (String, Int64) throws -> Void) async throws
    -> Int64
  {
    defer {}
    do {
      try store.countGroups(request, in: environment, as: caller, body)
      return 0
    } catch let refusal as Refusal {
      throw refusal.error
    }
  }
}

extension LocalStore {
  /// Holds its thread until the last group: `body` may refer to the caller's own variables.
  func countGroups(
    _ request: GroupCountRequest, in environment: Environment, as identity: Identity,
    _ body: (String, Int64) throws -> Void
  ) throws {
    do {
      try database.read { db in
        let catalogue = try self.catalogue(db, environment)
        let runner = QueryRunner(db: db, catalogue: catalogue, identity: identity, settings: settings)
        guard let sql = try runner.groupCounts(request) else { return }
        try db.forEachRow(sql.sql, sql.values) { try body($0.text(0), $0.integer(1)) }
      }
    } catch {
      throw StorageFailure.failure(error, container: name)
    }
  }
}

extension QueryRunner {
  /// `nil` when the caller may see none of the records.
  fileprivate func groupCounts(_ request: GroupCountRequest) throws -> SQLFragment? {
    let query = Query(request.recordType, filters: request.filters)
    try check(query)
    guard let table = catalogue[recordType: request.recordType] else { return nil }
    guard let column = table[field: request.groupField] else {
      let problem = QueryProblem.unknownField(request.groupField, recordType: request.recordType)
      throw Refusal(problem.serverError, problem.explanation)
    }
    guard column.type == .scalar(.string) || column.type == .scalar(.reference) else {
      throw Refusal(
        .badRequest, "BadRequestException: Unexpected input",
        "\(request.groupField) is a \(column.field.type); groups are made of STRING or REFERENCE")
    }
    guard let conditions = try conditions(query, table) else { return nil }
    // The directory joins in only when a condition needs it: the plain count then reads one index.
    let needsDirectory = conditions.contains { $0.sql.contains("r.") }
    let selection = RecordSelection(catalogue, table, desiredKeys: [], deviceID: settings.deviceID)
    let source = needsDirectory ? selection.source : "\(table.sql) t"
    return SQLFragment(
      sql: """
        SELECT t.\(column.sql), count(*) FROM \(source)
        WHERE t.\(column.sql) IS NOT NULL AND \(conditions.map(\.sql).joined(separator: " AND "))
        GROUP BY t.\(column.sql)
        """, values: conditions.flatMap(\.values))
  }
}
