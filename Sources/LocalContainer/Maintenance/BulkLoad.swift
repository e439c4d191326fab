package import CloudKitModel
internal import SchemaLanguage

internal import class GRDB.Database
internal import struct GRDB.DatabaseError

extension LocalContainer {
  /// Creates many records of one type, with the same fields, in one transaction: either all are created or none.
  ///
  /// `body` adds them one by one to the ``BulkWriter``; it runs inside the transaction, on the caller's thread, and
  /// must not use the container. Throws `ServerError` if the type or a field is unknown, the caller may not create,
  /// a value has the wrong type, or a record name exists already; rethrows errors of `body`.
  ///
  /// - Parameter fields: the names of the records' fields, in the order of the values passed to
  ///   ``BulkWriter/add(_:_:createdBy:)``.
  /// - Returns: how many records were created.
  @discardableResult
  package func load(
    _ recordType: String, fields: [String], _ body: (BulkWriter) throws -> Void
  ) async throws -> Int {
    try store.load(recordType, fields: fields, in: environment, as: caller, body)
  }

  /// Loads records of one type with the same fields, each as its creator if it has one, and created when its stamp says,
  /// or now if that is zero; `nil`, without writing, if one of them exists.
  package func loadNew(
    _ recordType: String, fields: [String], _ records: some Sequence<Record>
  ) async throws -> Int? {
    do {
      return try await load(recordType, fields: fields) { writer in
        for record in records {
          let time = record.created?.timestamp
          try writer.add(
            record.recordName, fields.map { record[$0] }, createdBy: record.created?.userRecordName,
            at: time?.milliseconds == 0 ? nil : time)
        }
      }
    } catch let error as ServerError where error.code == .conflict {
      return nil
    }
  }
}

extension LocalStore {
  /// SQLite's page cache while loading, in KiB. Inserting a million names in random order touches the whole name
  /// index, which does not fit into the cache of other requests.
  private static let loadingCache = 98_304

  func load(
    _ recordType: String, fields: [String], in environment: Environment, as identity: CallerIdentity,
    _ body: (BulkWriter) throws -> Void
  ) throws -> Int {
    try checkWritable()
    do {
      defer { busyFile.waitEnded() }
      return try database.write { db in
        try db.run("PRAGMA cache_size = -\(Self.loadingCache)")
        // Only a hint: the next load sets it again.
        defer { try? db.run("PRAGMA cache_size = -\(DatabaseFile.writingCache)") }
        try renewIdentity(db)
        let writer = try BulkWriter(
          db, recordType, fields: fields, in: layout(db, environment), as: identity, settings)
        try body(writer)
        return try writer.finish()
      }
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
      throw ServerError(
        .conflict, "record to insert already exists",
        "one of the record names exists already; nothing was loaded")
    } catch {
      throw StorageFailure.failure(error, container: name)
    }
  }
}

/// Inserts the records of one ``LocalContainer/load(_:fields:_:)``.
package final class BulkWriter {
  private let db: Database
  private let table: RecordTypeTable
  private let columns: [FieldColumn]
  private let derived: [(index: Int, terms: SearchTermTable?, links: Bool)]
  private let links: ReferenceTable
  private let directory: PreparedStatement
  private let rows: PreparedStatement
  private let caller: String?
  private let now: Timestamp
  private var stamps = UserStamps()
  private var tag: Int64
  private var id: Int64
  private var count = 0

  /// Checks that the caller may create such records.
  init(
    _ db: Database, _ recordType: String, fields: [String], in layout: SchemaTables,
    as identity: CallerIdentity, _ settings: LocalContainerSettings
  ) throws {
    self.db = db
    let tables = layout.tables
    guard let known = layout[recordType: recordType] else {
      throw QueryProblem.unknownRecordType(recordType).serverError
    }
    let permissions = Permissions(identity: identity, behavior: settings.behavior)
    guard permissions.allows(.create, on: known.type, creator: nil) else {
      throw permissions.refusal(.create, on: known.type)
    }
    try FieldWriteCheck(table: known, environment: layout.environment)
      .check(Dictionary(fields.map { ($0, nil) }) { first, _ in first })
    columns = fields.compactMap { known[field: $0] }
    if !known.isStored { try SchemaWriter(db: db, layout: layout).store(known) }
    table = known
    links = ReferenceTable(db: db, tables: tables)
    derived = columns.enumerated().compactMap { index, column in
      let terms = column.termTable
      let links = column.type.element == .reference
      return terms == nil && !links ? nil : (index, terms, links)
    }
    now = settings.now()
    caller = identity.userRecordName
    tag = try ChangeTag.last(db)
    id = try db.first("SELECT max(id) FROM \(tables.record)") { $0.integer(0) } ?? 0
    directory = try PreparedStatement(
      db,
      """
      INSERT INTO \(tables.record) (id, name, type, tag, createdAt, createdBy, modifiedAt, modifiedBy)
      VALUES (?1, ?2, \(table.id), ?3, ?5, ?4, ?5, ?4)
      """)
    let names = columns.map { ", \($0.sql)" }.joined()
    rows = try PreparedStatement(
      db, "INSERT INTO \(table.tableName.quoted) (_id\(names)) VALUES (\(placeholders(columns.count + 1)))")
  }

  /// Creates one record. `values` are in the order of the fields passed to the load; `nil` leaves a field without a
  /// value.
  ///
  /// - Parameters:
  ///   - createdBy: the creator's user record name, if the creator is not the caller.
  ///   - time: when it was created and last changed; `nil` for now.
  package func add(
    _ recordName: String, _ values: [FieldValue?], createdBy: String? = nil, at time: Timestamp? = nil
  ) throws {
    id += 1
    tag += 1
    count += 1
    try directory.bind(.integer(id), at: 1)
    try directory.bind(.text(recordName), at: 2)
    try directory.bind(.integer(tag), at: 3)
    try directory.bind(.integer(try stamps.add(2, of: createdBy ?? caller, db)), at: 4)
    try directory.bind(.integer((time ?? now).milliseconds), at: 5)
    try directory.runOnce()
    try rows.bind(.integer(id), at: 1)
    for (index, column) in columns.enumerated() {
      try rows.bind(try stored(values.indices.contains(index) ? values[index] : nil, column), at: index + 2)
    }
    try rows.runOnce()
    try addDerived(values)
  }

  private func addDerived(_ values: [FieldValue?]) throws {
    for entry in derived where values.indices.contains(entry.index) {
      try entry.terms?.insert(db, values[entry.index], id: id)
      guard entry.links else { continue }
      try links.replace(values[entry.index], field: columns[entry.index].field.name, of: id, had: nil)
    }
  }

  func finish() throws -> Int {
    try stamps.write(db)
    try ChangeTag.setLast(tag, db)
    return count
  }

  private func stored(_ value: FieldValue?, _ column: FieldColumn) throws -> SQLValue {
    guard let value else { return .null }
    guard value.type == column.type else { throw FieldWriteCheck.mismatch(value, column, in: table) }
    return StoredValue.encode(value)
  }
}
