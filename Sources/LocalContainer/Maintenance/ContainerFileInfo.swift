package import CloudKitModel
internal import Diagnostics
internal import GRDB
internal import SchemaLanguage

/// Record counts and size of a container file.
package struct ContainerFileInfo: Sendable, Hashable {
  /// The number of records of one type in one environment.
  package struct Count: Sendable, Hashable {
    package var environment: Environment
    package var recordType: String
    package var records: Int64
  }

  /// One count for each type, by environment and then in the order in which the types were created; includes
  /// `Users`.
  package var counts: [Count]
  /// Bytes of the database file, without its write-ahead log.
  package var size: Int64
  package var layoutVersion: Int
  package var sqliteVersion: String
}

extension LocalStore {
  /// Counts the records of every type, by reading one index for each type.
  package func info() async throws -> ContainerFileInfo {
    try await read(.development) { db, development in
      var counts: [ContainerFileInfo.Count] = []
      for layout in [development, try self.layout(db, .production)] {
        for table in layout.typeTables {
          let records = try db.first("SELECT count(*) FROM \(table.sql)") { $0.integer(0) } ?? 0
          counts.append(
            ContainerFileInfo.Count(
              environment: layout.environment, recordType: table.type.name, records: records))
        }
      }
      let pages = try db.first("PRAGMA page_count") { $0.integer(0) } ?? 0
      let pageSize = try db.first("PRAGMA page_size") { $0.integer(0) } ?? 0
      let layoutVersion = try db.first("PRAGMA user_version") { $0.integer(0) } ?? 0
      let version = try db.first("SELECT sqlite_version()") { $0.text(0) } ?? ""
      return ContainerFileInfo(
        counts: counts, size: pages * pageSize, layoutVersion: Int(layoutVersion),
        sqliteVersion: version)
    }
  }

  /// Problems that SQLite finds in the file, and records that exist only in the directory or only in their type's
  /// table. Empty if no damage was found. Reads the whole file.
  package func integrityProblems() async throws -> [String] {
    try await read(.development) { db, development in
      var problems: [String] = []
      try db.forEachRow("PRAGMA integrity_check") { problems.append($0.text(0)) }
      if problems == ["ok"] { problems = [] }
      for layout in [development, try self.layout(db, .production)] {
        for table in layout.typeTables { problems += try Self.strays(db, layout, table) }
      }
      return problems
    }
  }

  private static func strays(_ db: Database, _ layout: SchemaTables, _ table: RecordTypeTable) throws
    -> [String]
  {
    let listed = "SELECT id FROM \(layout.tables.record) WHERE type = \(table.id)"
    let kept = "SELECT _id FROM \(table.sql)"
    let checks = [
      ("a name but no data", "SELECT count(*) FROM (\(listed) EXCEPT \(kept))"),
      ("data but no name", "SELECT count(*) FROM (\(kept) EXCEPT \(listed))"),
    ]
    return try checks.compactMap { what, sql in
      let count = try db.first(sql) { $0.integer(0) } ?? 0
      return count == 0 ? nil : "\(counted(count, "record")) of \(table.type.name): \(what)"
    }
  }
}
