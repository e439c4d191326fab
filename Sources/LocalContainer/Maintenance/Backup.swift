package import CloudKitModel
internal import GRDB
internal import Platform
internal import SQLiteShim
internal import Synchronization

extension LocalStore {
  /// Writes a consistent copy of the container with both environments, while other processes may keep reading and
  /// writing. The copy is a container of its own, with its own id.
  ///
  /// Throws `ContainerFailure` if a file exists at the path or it cannot be written, and if this container is
  /// damaged, because the copy would hide the damage. The copy gets its name only once it is complete, and only its
  /// owner can read it.
  package func backup(to path: String) async throws {
    try Self.useFiles(of: path)
    do {
      try LocalStore.requireFree(path)
      try await requireSound()
      try await PartialDatabase.use(beside: path) { partial in
        try await database.writeWithoutTransaction { try $0.vacuum(into: partial.path) }
        try DatabaseFile.write(partial) { db in
          try UserTable.recountUses(db)
          try StoredIdentity(file: partial.identity).write(db)
        }
        guard try partial.publish() else { throw LocalStore.alreadyExists(path) }
      }
    } catch {
      throw StorageFailure.failure(error, container: path)
    }
  }

  private static func requireFree(_ path: String) throws {
    guard try FileStatus.of(path) == nil else { throw alreadyExists(path) }
    try DatabaseFile.checkRoom(for: path)
    try ContainerFiles.requireNothing(beside: path)
  }

  private static func alreadyExists(_ path: String) -> ContainerFailure {
    ContainerFailure(.storage, "\(path) already exists", hint: "Give the path of a new file.")
  }

  /// Replaces both environments of this container by those of a backup, in one transaction. The container keeps its id
  /// and gets a new incarnation.
  ///
  /// Throws `ContainerFailure` if the backup is not a container or is damaged; this container is unchanged then.
  ///
  /// - Parameter values: what all records of a type have afterward in these fields, by record type and field. A type or
  ///   a field that the backup does not have is left out.
  package func restore(from path: String, setting values: [String: [String: FieldValue]] = [:]) async throws {
    try checkWritable()
    let backup = try LocalStore(.file(path), access: .readOnly, settings: LocalContainerSettings())
    try await backup.requireSound()
    do {
      guard case .file(let target) = location else {
        return try restore(backup, through: DatabaseFile.memoryQueue(), values)
      }
      try await PartialDatabase.use(beside: target) { partial in
        let prepared = try DatabaseFile.queue(partial)
        try restore(backup, through: prepared, values)
        try prepared.close()
      }
    } catch {
      throw StorageFailure.failure(error, container: name)
    }
  }

  /// Prepares the new content in a database of its own, so that this container changes in one step.
  private func restore(
    _ backup: LocalStore, through prepared: DatabaseQueue, _ values: [String: [String: FieldValue]]
  ) throws {
    try backup.database.backup(to: prepared)
    let id = try database.read { try StoredIdentity($0).id }
    let restored = StoredIdentity(id: id, file: identity.withLock(\.file))
    try prepared.write { db in
      try restored.write(db)
      try MirrorMark.remove(db)
      try ChangeTag.setLast(settings.makeTagStart(), db)
      // Other processes keep the tables of the schema that had a number of before.
      try db.run(
        "UPDATE _counter SET value = ? WHERE name = 'schemaGeneration'",
        [.integer(.random(in: 0..<ChangeTag.startLimit))])
      for environment in Environment.allCases {
        let layout = try SchemaTables.load(db, environment)
        try set(values, db, layout)
        // A mirror lacks some.
        try db.define(layout.tables.ruleIndexDefinition)
        let writer = SchemaWriter(db: db, layout: layout)
        for table in layout.typeTables where table.isStored { try writer.createValueIndexes(of: table) }
      }
    }
    try prepared.backup(to: database)
    identity.withLock { $0.identity = restored }
  }

  /// Sets fields of all records of some types, as the service itself: no grant is needed.
  private func set(_ values: [String: [String: FieldValue]], _ db: Database, _ layout: SchemaTables) throws {
    for (type, fields) in values {
      guard let table = layout[recordType: type] else { continue }
      let known = fields.filter { table[field: $0.key]?.type == $0.value.type }
      let sql = "SELECT name FROM \(layout.tables.record) WHERE type = ?"
      let operations = try db.rows(sql, [.integer(table.id)]) {
        RecordOperation(.forceUpdate, recordType: type, recordName: $0.text(0), fields: known)
      }
      let outcomes = try ModifyRunner(db, layout, .serverKey, settings, isService: true).apply(operations)
      for case .failed(_, let refusal) in outcomes { throw refusal }
    }
  }

  /// Reads the whole file. Throws `ContainerFailure` if it is damaged.
  package func requireSound() async throws {
    if let first = try await integrityProblems().first { throw StorageFailure.damage(name, first) }
  }
}

extension Database {
  /// Runs VACUUM INTO, which attaches the copy as a database while it is written.
  fileprivate func vacuum(into path: String) throws {
    SQLiteShim_allowAttached(sqliteConnection, 1)
    defer { SQLiteShim_allowAttached(sqliteConnection, 0) }
    try execute(sql: "VACUUM INTO ?", arguments: [path])
  }
}
