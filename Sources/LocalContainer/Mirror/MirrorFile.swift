package import CloudKitModel
internal import GRDB
internal import Platform
internal import SchemaLanguage
internal import Synchronization

package import struct CloudKitModel.Record

/// The file of a mirror, while a run writes to it. One task uses it.
package final class MirrorFile: Sendable {
  package let store: LocalStore
  /// The container that it mirrors.
  package let source: ContainerIdentity
  package let key: MirrorKey
  private let isChangingType = Mutex(false)
  /// Keeps other runs from the file until this value ends.
  private let lock: StateFile
  private let path: String
  private let made: (mirror: Bool, key: Bool)

  /// Opens the file, or makes it and its key.
  ///
  /// - Parameters:
  ///   - source: the container that it mirrors.
  ///   - hasChosenTypes: whether a user named the types. Only for a new file.
  /// - Throws: `ContainerFailure` for a container that is not a mirror, or that mirrors another container, and while another
  ///   run writes to it; the errors of `LocalStore`.
  package init(
    _ path: String, of source: ContainerIdentity, hasChosenTypes: Bool, settings: LocalContainerSettings
  ) async throws {
    var settings = settings
    settings.keepsTransactionsOpen = true
    // The key first: a mirror without one cannot be continued. It is also what a run locks.
    let made = (mirror: try LocalStore.isMissing(path), key: try LocalStore.isMissing(MirrorKey.path(path)))
    let key = try MirrorKey(ofMirror: path, making: made.mirror)
    let lock = try key?.lock()
    let store = try LocalStore(.file(path), settings: settings)
    self.source = source
    try await store.write(source.environment) { db, layout in
      let mark = try MirrorMark(db)
      guard mark != nil || layout.schema.isNew else { throw Self.notMirror(path, source) }
      if let mark { try Self.require(mark, source, path) }
      guard let key else { throw MirrorKey.missing(ofMirror: path) }
      if let mark, mark.keyCheck != key.check { throw MirrorKey.missing(ofMirror: path, isOther: true) }
      guard mark == nil else { return }
      try MirrorNames(db: db, tables: layout.tables).dropIndexes()
      try db.execute(sql: MirrorMark.definition)
      try db.run(
        "INSERT INTO _mirror VALUES (?, ?, ?, ?, ?)",
        [
          .text(source.name), .text(source.environment.rawValue), source.id.map(SQLValue.text) ?? .null,
          .integer(hasChosenTypes ? 1 : 0), .text(key.check),
        ])
    }
    guard let key, let lock else { throw MirrorKey.missing(ofMirror: path) }
    self.store = store
    self.key = key
    self.lock = lock
    self.path = path
    self.made = made
  }

  /// Removes a file that this run has made and in which it stored nothing of any type. Throws the errors of the file.
  ///
  /// - Returns: whether it was removed.
  package func discardIfUseless() async throws -> Bool {
    guard made.mirror, try await mark.types.allSatisfy({ $0.started == nil && $0.asOf == nil }) else {
      return false
    }
    try store.database.close()
    for beside in ["", "-wal", "-shm"] { try PrivateFile.removeIfPresent(path + beside) }
    if made.key { try PrivateFile.removeIfPresent(MirrorKey.path(path)) }
    return true
  }

  private static func require(_ mark: MirrorMark, _ source: ContainerIdentity, _ path: String) throws {
    guard !mark.source.isSameContainer(as: source) else { return }
    func named(_ container: ContainerIdentity) -> String {
      "\(container.inWords)\(container.id.map { ", id \($0)" } ?? "")"
    }
    throw ContainerFailure(
      .storage, "\(path) is a mirror of \(named(mark.source))",
      hint: "Give another file for \(named(source)).")
  }

  private static func notMirror(_ path: String, _ source: ContainerIdentity) -> ContainerFailure {
    ContainerFailure(
      .storage, "\(path) is a container of its own, not a mirror of \(source.name)",
      hint: "Give the path of a new file.")
  }

  package var mark: MirrorMark {
    get async throws {
      try await write { db, _ in
        guard let mark = try MirrorMark(db) else {
          throw StorageFailure.damaged("it is not a mirror any more")
        }
        return mark
      }
    }
  }

  // MARK: - Transactions

  /// Stores all that `body` writes when it returns, and nothing if it throws or the process ends. Other connections read
  /// the former state meanwhile.
  func inOneStep<Value>(_ body: () async throws -> Value) async throws -> Value {
    try await beginStep()
    do {
      let value = try await body()
      try endStep(keeping: true)
      return value
    } catch {
      try endStep(keeping: false)
      throw error
    }
  }

  /// Begins a step that ends with ``endStep(keeping:)``, unless one has begun.
  func beginStep() async throws {
    guard !isChangingType.withLock(\.self) else { return }
    try await unsafely { try $0.beginTransaction(.immediate) }
    isChangingType.withLock { $0 = true }
  }

  /// Stores what was written since ``beginStep()``, or takes it back. Not asynchronous, so that it runs in a cancelled
  /// task, too.
  func endStep(keeping: Bool) throws {
    defer { store.busyFile.waitEnded() }
    isChangingType.withLock { $0 = false }
    do {
      try store.database.writeWithoutTransaction { db in
        if db.isInsideTransaction { try keeping ? db.commit() : db.rollback() }
      }
    } catch { throw StorageFailure.failure(error, container: store.name) }
  }

  private func unsafely<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    defer { store.busyFile.waitEnded() }
    do { return try await store.database.writeWithoutTransaction(body) } catch {
      throw StorageFailure.failure(error, container: store.name)
    }
  }

  /// In the transaction of the step that has begun, or in one of its own.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database, SchemaTables) throws -> Value
  ) async throws -> Value {
    guard isChangingType.withLock(\.self) else { return try await store.write(source.environment, body) }
    return try await unsafely { [store, source] db in try body(db, store.layout(db, source.environment)) }
  }

  // MARK: - Records

  /// How records were read: by a query, which may show former versions; by a query for all fields of a type whose schema
  /// changed; or by name.
  enum Origin { case query, newSchema, lookup }

  /// Stores records of a type, and how far the type is then.
  ///
  /// - Parameters:
  ///   - origin: how the records were read.
  ///   - noting: to note that the service has them.
  /// - Returns: how many were new or changed, and the names of those of which the file has a later version.
  func put(
    _ records: [Record], from origin: Origin, noting: Bool, _ type: MirroredType
  ) async throws -> (changed: Int, older: [String]) {
    try await write { db, layout in
      let table = try Self.table(type.name, layout)
      let writer = try MirrorWriter(db: db, layout: layout)
      var result: (changed: Int, older: [String]) = (0, [])
      for record in records where record.recordType == type.name {
        let (id, effect) = try writer.put(
          record, in: table, isCurrent: origin == .lookup, force: origin != .query)
        switch effect {
        case .new, .changed: result.changed += 1
        case .same: break
        case .older:
          result.older.append(record.recordName)
          continue
        }
        if noting { try db.run("INSERT OR IGNORE INTO temp.seen VALUES (?)", [.integer(id)]) }
      }
      try writer.finish()
      try type.write(db)
      return result
    }
  }

  /// Drops the indexes of a type, which a first copy fills, or creates them.
  func setIndexes(of type: MirroredType, areKept: Bool) async throws {
    try await write { db, layout in
      let (table, writer) = (try Self.table(type.name, layout), SchemaWriter(db: db, layout: layout))
      try areKept ? writer.createValueIndexes(of: table) : writer.dropValueIndexes(of: table)
    }
  }

  /// Makes the index of names unless the file has it (``MirrorNames``).
  ///
  /// - Returns: the names and record types of the versions of records that went.
  func indexNames() async throws -> [(name: String, recordType: String)] {
    try await write { db, layout in
      try MirrorNames(db: db, tables: layout.tables).index(layout).compactMap { name, type in
        layout[typeID: type].map { (name, $0.type.name) }
      }
    }
  }

  func save(_ type: MirroredType) async throws { try await write { db, _ in try type.write(db) } }

  /// Notes which records of a type the service has, by their names and versions.
  ///
  /// - Returns: the names of those whose version the file does not have.
  func compare(_ records: [Record], _ type: MirroredType) async throws -> [String] {
    try await write { db, layout in
      let table = try Self.table(type.name, layout)
      let writer = try MirrorWriter(db: db, layout: layout)
      return try records.filter { $0.recordType == type.name }.compactMap { record in
        guard let id = try writer.id(of: record.recordName, version: record.changeTag, in: table) else {
          return record.recordName
        }
        try db.run("INSERT OR IGNORE INTO temp.seen VALUES (?)", [.integer(id)])
        return nil
      }
    }
  }

  /// Forgets what ``put(_:from:noting:_:)`` and ``compare(_:_:)`` noted.
  func forgetSeen() async throws {
    try await write { db, _ in
      try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS seen (id INTEGER PRIMARY KEY)")
      try db.run("DELETE FROM temp.seen")
    }
  }

  /// The next records of a type, in the order of their ids, that were not noted.
  func unseen(_ type: MirroredType, after id: Int64, limit: Int) async throws -> [(id: Int64, name: String)] {
    try await records(type, after: id, limit: limit) { _ in "id NOT IN (SELECT id FROM temp.seen)" }
  }

  /// The next records of a type, in the order of their ids, that meet a condition; none without one.
  func records(
    _ type: MirroredType, after id: Int64, limit: Int,
    _ condition: @escaping @Sendable (RecordTypeTable) -> String?
  ) async throws -> [(id: Int64, name: String)] {
    try await write { db, layout in
      let table = try Self.table(type.name, layout)
      guard let condition = condition(table) else { return [] }
      return try db.rows(
        """
        SELECT id, name FROM \(layout.tables.record) WHERE type = \(table.id) AND id > ? AND \(condition)
        ORDER BY id LIMIT \(limit)
        """, [.integer(id)]
      ) { (id: $0.integer(0), name: $0.text(1)) }
    }
  }

  func count(_ type: MirroredType) async throws -> Int {
    try await write { db, layout in
      let table = try Self.table(type.name, layout)
      return Int(try db.number("SELECT count(*) FROM \(table.sql)"))
    }
  }

  func delete(_ ids: [Int64]) async throws {
    try await write { db, layout in
      let writer = try MirrorWriter(db: db, layout: layout)
      for id in ids { try writer.delete(id) }
      try writer.finish()
    }
  }

  static func table(_ recordType: String, _ layout: SchemaTables) throws -> RecordTypeTable {
    guard let table = layout[recordType: recordType] else {
      throw StorageFailure.damaged("the mirrored type has no table")
    }
    return table
  }
}

extension LocalStore {
  /// Makes what can stand in a mirror for a text that names a person; `nil` for a container that has the names themselves.
  ///
  /// Throws `ContainerFailure` without the mirror's key, and for a container that was made of a mirror; `FileFailure`.
  package func standInsOfPersons() throws -> (@Sendable (String) -> [String])? {
    guard let mirror, case .file(let path) = location else {
      try requireNames()
      return nil
    }
    let present = try MirrorKey(ofMirror: path, making: false)
    guard let key = present, key.check == mirror.keyCheck else {
      throw MirrorKey.missing(ofMirror: path, isOther: present != nil, searching: mirror)
    }
    return { key.standIns(for: $0) }
  }

  /// Throws `ContainerFailure` for a container whose stamps have digests of a mirror, of which it was made.
  private func requireNames() throws {
    let sql =
      "SELECT 1 FROM _user WHERE name GLOB 'mirror.*' OR length(name) = 64 AND name NOT GLOB '*[^0-9a-f]*'"
    let hasDigests: Bool
    do { hasDigests = try database.read { db in try db.first(sql) { $0.integer(0) } != nil } } catch {
      throw StorageFailure.failure(error, container: name, reading: isReadOnly)
    }
    guard hasDigests else { return }
    throw ContainerFailure(
      .storage, "\(name) was made of a mirror and has digests of persons, so no person can be found in it",
      hint: "Search the service, or the mirror with its key beside it.")
  }
}
