internal import CloudKitModel
internal import SchemaLanguage

internal import class GRDB.Database

struct QueryRunner {
  let db: Database
  let layout: SchemaTables
  let identity: CallerIdentity
  let settings: LocalContainerSettings
  let lag: IndexLag

  private var behavior: ServerBehavior { settings.behavior }

  func page(_ request: QueryRequest) throws -> QueryPage {
    let query = request.query
    try check(query)
    guard let table = layout[recordType: query.recordType] else { return QueryPage(records: []) }
    let scan = IndexOrder(query, table)
    let isContinued = request.continuationMarker != nil
    guard let conditions = try conditions(query, table, scan, isContinued: isContinued) else {
      return QueryPage(records: [])
    }
    let limit = try pageLimit(request.resultsLimit)
    let plan = QueryPlan(conditions: conditions, keyset: try keyset(query, table, scan))
    let digest = PageMarker.digest(of: query, in: layout.environment)
    let segments = try segments(request.continuationMarker, digest, plan.keyset)
    let selection = RecordSelection(
      layout, table, desiredKeys: request.desiredKeys, deviceID: settings.deviceID)
    var page = PageReader(db: db, selection: selection, plan: plan, limit: limit)
    for segment in segments { try page.read(segment) }
    var answer = try page.finish(digest: digest)
    if answer.continuationMarker == nil { answer.records += lagging(request, table) }
    return answer
  }

  /// Deleted records that the index still shows to a caller who may read all records of the type.
  private func lagging(_ request: QueryRequest, _ table: RecordTypeTable) -> [Record] {
    guard let visible,
      Permissions(identity: identity, behavior: behavior).extent(of: .read, on: table.type) == .all
    else { return [] }
    return lag.records(of: request.query, in: layout.environment, deletedAfter: visible)
      .map { $0.keeping(request.desiredKeys) }
  }

  /// The moment up to which the index has caught up; `nil` if it does not lag.
  private var visible: Timestamp? {
    behavior.indexDelay > 0 ? settings.now() - .milliseconds(behavior.indexDelay) : nil
  }

  // MARK: - Checks

  func check(_ query: Query) throws {
    if let problem = query.problems(in: layout.schema, ranges: behavior.ranges).first {
      throw ServiceRefusal(error(of: problem, query.recordType), problem.explanation)
    }
    for filter in query.filters { try checkValue(of: filter) }
  }

  private func error(of problem: QueryProblem, _ recordType: String) -> ServerError {
    let isIndexed = layout.schema[recordType: recordType]?.fields.contains { !$0.indexes.isEmpty } ?? true
    guard case .missingIndex = problem, !isIndexed, behavior.unindexedType == .type else {
      return problem.serverError
    }
    return ServerError(.badRequest, "Type is not marked indexable: \(recordType)")
  }

  private func checkValue(of filter: Filter) throws {
    if let elements = filter.value.elements, elements.count > behavior.filterValues {
      throw ServiceRefusal(
        .badRequest, "Query filter exceeds the limit of values: \(behavior.filterValues)",
        "the filter on \(filter.field.storedName) has \(elements.count) values")
    }
    if filter.comparator == .near, !((filter.distance ?? -1) >= 0) {
      throw ServiceRefusal(
        .badRequest, "BadRequestException: Unexpected input", "NEAR needs a distance in meters")
    }
  }

  private func pageLimit(_ asked: Int?) throws -> Int {
    guard let asked else { return settings.pageSize }
    let tooLarge = asked > ContainerLimits.recordsPerRequest && behavior.largeResultsLimit == .refuse
    guard asked > 0, !tooLarge else {
      throw ServiceRefusal(
        .badRequest, "BadRequestException: Unexpected input",
        "resultsLimit is \(asked), not 1 to \(ContainerLimits.recordsPerRequest)")
    }
    return min(asked, settings.pageSize)
  }

  /// The condition for rows that the caller may read, or `nil` if it may read none.
  private func readCondition(on table: RecordTypeTable) throws -> SQLFragment? {
    let permissions = Permissions(identity: identity, behavior: behavior)
    switch permissions.extent(of: .read, on: table.type) {
    case .all: return SQLFragment(sql: "1")
    case .own:
      let id = try identity.userRecordName.flatMap { try UserTable.id(of: $0, db) }
      return SQLFragment(
        sql: "r.type = \(table.id) AND r.createdBy = ?", values: [.integer(id ?? UserTable.unknownID)])
    case .none:
      guard behavior.unreadableQuery == .refuse else { return nil }
      throw permissions.refusal(.read, on: table.type)
    }
  }

  // MARK: - Plan

  /// All conditions of the query except those of the page marker; `nil` if the caller may read no records.
  func conditions(
    _ query: Query, _ table: RecordTypeTable, _ scan: IndexOrder? = nil, isContinued: Bool = false
  ) throws -> [SQLFragment]? {
    guard let access = try readCondition(on: table) else { return nil }
    let compiler = FilterCompiler(
      db: db, table: table, behavior: behavior, scan: scan, isContinued: isContinued)
    var conditions = [access]
    for filter in query.filters { conditions.append(try compiler.condition(filter)) }
    if usesDirectory(query) { conditions.append(SQLFragment(sql: "r.type = \(table.id)")) }
    if let visible {
      let values = [SQLValue.integer(visible.milliseconds)]
      conditions.append(SQLFragment(sql: "r.createdAt <= ?", values: values))
      let fields = query.filters.map(\.field) + query.sorts.map(\.field)
      if fields.contains(.system(.modifiedTimestamp)) {
        conditions.append(SQLFragment(sql: "r.modifiedAt <= ?", values: values))
      }
    }
    return conditions
  }

  private func keyset(_ query: Query, _ table: RecordTypeTable, _ scan: IndexOrder) throws -> KeysetPagination
  {
    let compiler = FilterCompiler(db: db, table: table, behavior: behavior)
    let sorts = scan.isImplied ? scan.field.map { [Sort($0)] } ?? [] : query.sorts
    var keys = sorts.map { sort in
      let operand = compiler.operand(sort.field)
      let sql = sort.relativeLocation.map { EarthDistance.sql(distanceOf: operand, to: $0) } ?? operand
      return KeysetPagination.Key(sql: sql, ascending: sort.ascending)
    }
    if let list = query.filters.first(where: { $0.comparator == .in && $0.field == scan.field }) {
      keys[0].members = try compiler.members(list)
    }
    return KeysetPagination(keys: keys, rowID: scan.usesDirectory ? "r.id" : "t._id")
  }

  /// Whether the query filters or sorts by a field that the directory has an index for.
  private func usesDirectory(_ query: Query) -> Bool {
    let fields = query.filters.map(\.field) + query.sorts.map(\.field)
    return fields.contains { if case .system = $0 { true } else { false } }
  }

  private func segments(_ marker: String?, _ digest: String, _ keyset: KeysetPagination) throws
    -> [SQLFragment]
  {
    guard let marker else { return [SQLFragment(sql: "1")] }
    guard let parsed = PageMarker(marker), parsed.keys.count == keyset.keys.count else {
      throw ServiceRefusal(
        .badRequest, "Unknown continuation marker", "the marker was not made by this container")
    }
    guard parsed.digest == digest else {
      throw ServiceRefusal(
        .badRequest, "Unknown continuation marker",
        "the marker belongs to another query; repeat the query that returned it")
    }
    return keyset.segments(after: parsed.keys, id: parsed.id)
  }
}

struct QueryPlan {
  var conditions: [SQLFragment]
  var keyset: KeysetPagination
}

/// Collects the records of one page, and sees from one more row whether another page follows.
struct PageReader {
  private let db: Database
  private let selection: RecordSelection
  private let plan: QueryPlan
  private let limit: Int
  private var ids: [Int64] = []
  private var records: [Record] = []
  /// The position of the page's last row; `nil` until the page is full.
  private var lastKeys: [SQLValue]?
  private var hasMore = false

  init(db: Database, selection: RecordSelection, plan: QueryPlan, limit: Int) {
    self.db = db
    self.selection = selection
    self.plan = plan
    self.limit = limit
  }

  mutating func read(_ segment: SQLFragment) throws {
    guard !hasMore else { return }
    let expressions = selection.expressions + plan.keyset.keys.map(\.sql)
    let conditions = plan.conditions + [segment]
    let sql = """
      SELECT \(expressions.joined(separator: ", ")) FROM \(selection.source)
      WHERE \(conditions.map(\.sql).joined(separator: " AND "))
      ORDER BY \(plan.keyset.order) LIMIT \(limit + 1 - records.count)
      """
    try db.forEachRow(sql, conditions.flatMap(\.values)) { row in
      guard lastKeys == nil else { return hasMore = true }
      ids.append(row.integer(0))
      records.append(try selection.record(row))
      guard records.count == limit else { return }
      let first = selection.expressions.count
      lastKeys = plan.keyset.keys.indices.map { row[first + $0] }
    }
  }

  mutating func finish(digest: String) throws -> QueryPage {
    for (index, id) in ids.enumerated() { try selection.addActions(db, to: &records[index], id: id) }
    guard hasMore, let lastKeys, let lastID = ids.last else { return QueryPage(records: records) }
    let marker = PageMarker(digest: digest, keys: lastKeys, id: lastID)
    return QueryPage(records: records, continuationMarker: marker.text)
  }
}
