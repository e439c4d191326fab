package import CloudKitModel
internal import Diagnostics
internal import GRDB
internal import SchemaLanguage

package struct ContainerFileInfo: Sendable, Hashable {
  package struct Count: Sendable, Hashable {
    package var environment: Environment
    package var recordType: String
    package var records: Int64
    /// Whether all records of the type can be read.
    package var isWhole = true
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
          let records = try db.number("SELECT count(*) FROM \(table.sql)")
          counts.append(
            ContainerFileInfo.Count(
              environment: layout.environment, recordType: table.type.name, records: records))
        }
        if layout[recordType: SystemNames.users] == nil, !layout.typeTables.isEmpty {
          // No service lets a mirror read them.
          counts.append(
            ContainerFileInfo.Count(
              environment: layout.environment, recordType: SystemNames.users, records: 0,
              isWhole: self.mirror == nil))
        }
      }
      let pages = try db.number("PRAGMA page_count")
      let pageSize = try db.number("PRAGMA page_size")
      let layoutVersion = try db.number("PRAGMA user_version")
      let version = try db.first("SELECT sqlite_version()") { $0.text(0) } ?? ""
      return ContainerFileInfo(
        counts: counts, size: pages * pageSize, layoutVersion: Int(layoutVersion), sqliteVersion: version)
    }
  }

  /// Problems that SQLite finds in the file, and records that exist only in the directory or only in their type's
  /// table. Empty if no damage was found. Reads the whole file.
  package func integrityProblems() async throws -> [String] {
    try await read(.development) { db, _ in try ContainerFileCheck.problems(db) }
  }
}

/// What a check of a container's file found, whether or not a command could open it.
package struct ContainerFileCheck: Sendable {
  /// What is damaged, a sentence each; empty if no damage was found.
  package fileprivate(set) var problems: [String] = []
  /// Of a damaged file that commands can open; otherwise empty.
  package fileprivate(set) var readable: [ContainerFileInfo.Count] = []
  /// What the file mirrors, if it is a mirror and still says so.
  package fileprivate(set) var mirror: MirrorMark?
  /// How a backup takes the place of the file.
  package let replacing: String

  /// Reads the whole file. Throws `ContainerFailure` for a file that is not there, that is not safe, or whose header is
  /// not a container's.
  package init(of path: String) async throws {
    replacing = StorageFailure.replacing(path)
    do {
      let missing = try DatabaseFile.missingBytes(path)
      if missing > 0 { problems.append("its end is missing: \(missing) bytes that its header counts") }
      do {
        let found = try await DatabaseFile.inspect(path) { db in
          (try Self.problems(db), try? MirrorMark(db))
        }
        problems += found.0
        mirror = found.1
      } catch let damage where StorageFailure.isDamage(damage) {
        if problems.isEmpty { problems.append(StorageFailure.reason(of: damage)) }
      }
      // A file that its header makes whole can lack what opening it needs.
      let store = try? LocalStore(.file(path), access: .readOnly)
      guard !problems.isEmpty, let store else { return }
      for environment in Environment.allCases {
        // What cannot be read is one of the problems.
        do { readable += try await store.readableRecords(environment) } catch is ContainerFailure {}
      }
    } catch {
      throw StorageFailure.failure(error, container: path, reading: true)
    }
  }

  fileprivate static func problems(_ db: Database) throws -> [String] {
    var problems = try integrity(db)
    if !problems.isEmpty {
      // Which table it is says more than the number of a page.
      let named = try tables(db).flatMap { table in
        try integrity(db, of: table).prefix(1).map { "the table \(table), or an index of it: \($0)" }
      }
      problems = named.isEmpty ? problems : named
    }
    for environment in Environment.allCases {
      do {
        let layout = try SchemaTables.load(db, environment)
        for table in layout.typeTables { problems += try strays(db, layout, table) }
      } catch let damage where StorageFailure.isDamage(damage) {
        if problems.isEmpty { problems.append(StorageFailure.reason(of: damage)) }
      }
    }
    return problems
  }

  private static func tables(_ db: Database) throws -> [String] {
    var names: [String] = []
    do {
      try db.forEachRow("SELECT name FROM sqlite_master WHERE type = 'table'") { names.append($0.text(0)) }
    } catch let damage where StorageFailure.isDamage(damage) {
      // Those that were read before are named.
    }
    return names
  }

  /// What SQLite says about the file, or about one table and its indexes. A page that it cannot read ends its check.
  private static func integrity(_ db: Database, of table: String? = nil) throws -> [String] {
    var lines: [String] = []
    do {
      try db.forEachRow("PRAGMA integrity_check" + (table.map { "(\($0.quoted))" } ?? "")) {
        lines += $0.text(0).split(separator: "\n").map(String.init)
      }
    } catch let damage where StorageFailure.isDamage(damage) {
      if lines.isEmpty { lines = [StorageFailure.reason(of: damage)] }
    }
    return lines.filter { $0 != "ok" && !$0.hasPrefix("***") }
  }

  private static func strays(
    _ db: Database, _ layout: SchemaTables, _ table: RecordTypeTable
  ) throws -> [String] {
    let listed = "SELECT id FROM \(layout.tables.record) WHERE type = \(table.id)"
    let kept = "SELECT _id FROM \(table.sql)"
    let checks = [
      ("a name but no data", "SELECT count(*) FROM (\(listed) EXCEPT \(kept))"),
      ("data but no name", "SELECT count(*) FROM (\(kept) EXCEPT \(listed))"),
    ]
    return try checks.compactMap { what, sql in
      let count = try db.number(sql)
      return count == 0 ? nil : "\(counted(count, "record")) of \(table.type.name): \(what)"
    }
  }
}

extension LocalStore {
  /// Reads the records of each type, until one cannot be read.
  fileprivate func readableRecords(_ environment: Environment) async throws -> [ContainerFileInfo.Count] {
    try await read(environment) { db, layout in
      layout.typeTables.filter { !SystemNames.isManaged($0.type.name) }.map { table in
        var found = ContainerFileInfo.Count(
          environment: environment, recordType: table.type.name, records: 0)
        let records = RecordSelection(layout, table, desiredKeys: nil, deviceID: "")
        do {
          let listed = "SELECT id FROM \(layout.tables.record) WHERE type = \(table.id)"
          try db.forEachRow(listed) { row in
            if try records.record(db, id: row.integer(0)) == nil {
              found.isWhole = false
            } else {
              found.records += 1
            }
          }
        } catch {
          // The problems of the file say why.
          found.isWhole = false
        }
        return found
      }
    }
  }
}
