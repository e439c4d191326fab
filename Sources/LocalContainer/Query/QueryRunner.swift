internal import CloudKitModel
internal import SchemaLanguage
internal import Synchronization

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
    let keyset = try self.keyset(query, table, scan)
    let digest = PageMarker.digest(of: query, in: layout.environment)
    let segments = try segments(request.continuationMarker, digest, keyset)
    let selection = RecordSelection(
      layout, table, desiredKeys: request.desiredKeys, deviceID: settings.deviceID)
    var page = try read(segments, selection, conditions, keyset, limit: limit, digest: digest)
    if page.continuationMarker == nil { page.records += lagging(request, table) }
    return page
  }

  /// Collects the records of one page, and sees from one more row whether another page follows.
  private func read(
    _ segments: [SQLFragment], _ selection: RecordSelection, _ conditions: [SQLFragment],
    _ keyset: KeysetPagination, limit: Int, digest: String
  ) throws -> QueryPage {
    let expressions = selection.expressions + keyset.keys.map(\.sql)
    var records: [Record] = []
    // The position of the page's last row, once the page is full.
    var last: PageMarker?
    var hasMore = false
    for segment in segments where !hasMore {
      let condition = (conditions + [segment]).conjunction
      let sql = """
        SELECT \(expressions.joined(separator: ", ")) FROM \(selection.source)
        WHERE \(condition.sql)
        ORDER BY \(keyset.order) LIMIT \(limit + 1 - records.count)
        """
      try db.forEachRow(sql, condition.values) { row in
        guard last == nil else { return hasMore = true }
        records.append(try selection.record(row))
        guard records.count == limit else { return }
        let first = selection.expressions.count
        last = PageMarker(
          digest: digest, keys: keyset.keys.indices.map { row[first + $0] }, id: row.integer(0))
      }
    }
    return QueryPage(records: records, continuationMarker: hasMore ? last?.text : nil)
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
      throw error(of: problem, query.recordType)
    }
    for filter in query.filters { try checkValue(of: filter) }
  }

  private func error(of problem: QueryProblem, _ recordType: String) -> ServerError {
    let error = problem.serverError
    let isIndexed = layout.schema[recordType: recordType]?.fields.contains { !$0.indexes.isEmpty } ?? true
    guard error.isForLackOfIndex, !isIndexed, behavior.unindexedType == .type else { return error }
    return ServerError(.badRequest, "Type is not marked indexable: \(recordType)", error.explanation)
  }

  private func checkValue(of filter: Filter) throws {
    if let elements = filter.value.elements, elements.count > behavior.filterValues {
      throw ServerError(
        .badRequest, "Query filter exceeds the limit of values: \(behavior.filterValues)",
        "the filter on \(filter.field.storedName) has \(elements.count) values")
    }
    if filter.comparator == .near, !((filter.distance ?? -1) >= 0) {
      throw ServerError.malformed("NEAR needs a distance in meters")
    }
  }

  private func pageLimit(_ asked: Int?) throws -> Int {
    guard let asked else { return settings.pageSize }
    let tooLarge = asked > ContainerLimits.recordsPerRequest && behavior.largeResultsLimit == .refuse
    guard asked > 0, !tooLarge else {
      throw ServerError.malformed(
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
      if query.fields.contains(.system(.modifiedTimestamp)) {
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
    query.fields.contains(where: \.isSystem)
  }

  private func segments(_ marker: String?, _ digest: String, _ keyset: KeysetPagination) throws
    -> [SQLFragment]
  {
    guard let marker else { return [SQLFragment(sql: "1")] }
    guard let parsed = PageMarker(marker) else {
      throw ServerError(
        .badRequest, "Unknown continuation marker", "the marker was not made by this container")
    }
    // Queries differ in the number of keys, too.
    guard parsed.digest == digest, parsed.keys.count == keyset.keys.count else {
      throw ServerError(
        .badRequest, "Unknown continuation marker",
        "the marker belongs to another query; repeat the query that returned it")
    }
    return keyset.segments(after: parsed.keys, id: parsed.id)
  }
}

/// Deleted records that queries still find while their index lags behind (`behavior.indexDelay`). They are kept in
/// memory: when the process has ended, the index has caught up.
final class IndexLag: Sendable {
  private struct Deletion: Sendable {
    let environment: Environment
    let record: Record
    let time: Timestamp
  }

  private let deletions = Mutex<[Deletion]>([])

  func add(_ records: [Record], in environment: Environment, at time: Timestamp) {
    let new = records.map { Deletion(environment: environment, record: $0, time: time) }
    deletions.withLock { $0 += new }
  }

  /// The records that a query finds although they were deleted after a moment. Only for a query that has no condition but
  /// on the time of changes: others find deletions at once.
  func records(of query: Query, in environment: Environment, deletedAfter moment: Timestamp) -> [Record] {
    let bounds = query.filters.map { filter in
      filter.field == .system(.modifiedTimestamp) && filter.comparator == .greaterThanOrEquals
        ? filter.value.timestamp : nil
    }
    guard !bounds.contains(nil) else { return [] }
    let earliest = bounds.compactMap(\.self).max()
    return deletions.withLock { deletions in
      deletions.removeAll { $0.time <= moment }
      return deletions.filter { deletion in
        guard deletion.environment == environment, deletion.record.recordType == query.recordType,
          let modified = deletion.record.modified?.timestamp
        else { return false }
        return modified <= moment && earliest.map { modified >= $0 } ?? true
      }.map(\.record)
    }
  }
}

/// The field whose index gives the order in which a query's pages are read.
///
/// The service's order of a query without sorts is not documented (Documentation/reference/web-services.md#pages).
/// Here it is the order of the index that finds the records. In any other order, every page would have to find and
/// sort all records again.
struct IndexOrder: Sendable {
  /// The first sort's field or, without sorts, the field of an IN or range filter. `nil` means the order of row
  /// ids.
  let field: FieldName?
  let ascending: Bool
  /// Whether the query has no sorts, so that this order is the result's.
  let isImplied: Bool
  /// Whether the index belongs to the directory of records, not to the type's table.
  let usesDirectory: Bool

  init(_ query: Query, _ table: RecordTypeTable) {
    isImplied = query.sorts.isEmpty
    if let sort = query.sorts.first {
      field = sort.relativeLocation == nil ? sort.field : nil
      ascending = sort.ascending
      usesDirectory = sort.field.isSystem
      return
    }
    ascending = true
    let indexed = query.filters.filter { table.hasIndex(for: $0.field) }
    let equal = indexed.first { $0.comparator == .equals }
    field =
      indexed.first { $0.comparator == .in }?.field
      ?? (equal == nil ? indexed.first { $0.comparator.isRange }?.field : nil)
    usesDirectory = (field ?? equal?.field)?.isSystem ?? false
  }

  /// Whether SQLite must not use the index of this filter, which gives another order and so would need all records
  /// for every page. Allowed for text equality, which may match so few records that sorting them is cheaper; SQLite
  /// decides.
  func forbidsIndex(of filter: Filter) -> Bool {
    guard isImplied, let field, filter.field != field else { return false }
    return filter.comparator != .equals || filter.value.referredName == nil
  }
}

extension RecordTypeTable {
  fileprivate func hasIndex(for field: FieldName) -> Bool {
    switch field {
    case .user(let name): self[field: name]?.hasColumnIndex ?? false
    case .system(let field): field != .etag
    }
  }
}

extension FieldName {
  fileprivate var isSystem: Bool { if case .system = self { true } else { false } }
}

extension Comparator {
  fileprivate var isRange: Bool {
    switch self {
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .beginsWith: true
    default: false
    }
  }
}
