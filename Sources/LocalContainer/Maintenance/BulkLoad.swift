package import CloudKitModel
internal import SchemaLanguage

internal import class GRDB.Database
internal import struct GRDB.DatabaseError

extension LocalContainer {
  /// Creates many records of one type in one transaction: either all are created or none. Each record is created by the user
  /// of its stamp, or by the caller, and at the time of its stamp, or now if that is zero.
  ///
  /// Throws `ServerError` if the type or a field is unknown, the caller may not create, or a value has the wrong type.
  ///
  /// - Returns: how many records were created; `nil`, without writing, if one of them exists.
  @discardableResult
  package func loadNew(_ recordType: String, _ records: some Sequence<Record>) async throws -> Int? {
    try store.load(recordType, records, in: environment, as: caller)
  }
}

extension LocalStore {
  /// SQLite's page cache while loading, in KiB. Inserting a million names in random order touches the whole name
  /// index, which does not fit into the cache of other requests.
  private static let loadingCache = 98_304

  /// Not asynchronous, so that the records are made on the caller's thread.
  fileprivate func load(
    _ recordType: String, _ records: some Sequence<Record>, in environment: Environment,
    as identity: CallerIdentity
  ) throws -> Int? {
    try checkWritable()
    do {
      defer { busyFile.waitEnded() }
      return try database.write { db in
        try db.run("PRAGMA cache_size = -\(Self.loadingCache)")
        // Only a hint: the next load sets it again.
        defer { try? db.run("PRAGMA cache_size = -\(DatabaseFile.writingCache)") }
        try renewIdentity(db)
        return try insert(records, recordType, db, layout(db, environment), identity)
      }
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
      return nil
    } catch {
      throw StorageFailure.failure(error, container: name)
    }
  }

  private func insert(
    _ records: some Sequence<Record>, _ recordType: String, _ db: Database, _ layout: SchemaTables,
    _ identity: CallerIdentity
  ) throws -> Int {
    guard let table = layout[recordType: recordType] else {
      throw QueryProblem.unknownRecordType(recordType).serverError
    }
    let permissions = Permissions(identity: identity, behavior: settings.behavior)
    guard permissions.allows(.create, on: table.type, creator: nil) else {
      throw permissions.refusal(.create, on: table.type)
    }
    if !table.isStored { try SchemaWriter(db: db, layout: layout).store(table) }
    let check = FieldWriteCheck(table: table, environment: layout.environment)
    let writer = try RecordWriter(db: db, tables: layout.tables)
    let now = settings.now().milliseconds
    let first = try ChangeTag.last(db)
    var tag = first
    var stamps = UserStamps()
    for record in records {
      try check.check(record.fields)
      tag += 1
      let time = record.created?.timestamp.milliseconds ?? 0
      let creator = record.created?.userRecordName ?? identity.userRecordName
      let stamp = RecordHeader.Stamp(time: time == 0 ? now : time, user: try stamps.add(2, of: creator, db))
      try writer.insert(record, into: table, header: RecordHeader(tag: .integer(tag), modified: stamp))
    }
    try stamps.write(db)
    try ChangeTag.setLast(tag, db)
    return Int(tag - first)
  }
}
