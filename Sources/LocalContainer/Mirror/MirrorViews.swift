internal import CloudKitModel
internal import Platform
internal import SchemaLanguage

internal import class GRDB.Database

/// One view for each record type of a mirror, with the type's name, for programs that read SQLite
/// (Documentation/Operators.md#a-mirror-of-a-service).
///
/// A view has the system fields by their stored names, and the fields of the type. Times are ISO 8601 texts in UTC, and
/// the stored milliseconds outside of the years 1 to 9999, which have no such text.
struct MirrorViews {
  let db: Database
  let layout: SchemaTables

  func make() throws {
    for table in layout.typeTables where table.isStored {
      try db.define("CREATE VIEW \(Self.name(table).quoted) AS \(selection(table))")
    }
  }

  /// The type's name. SQLite ignores case: a type whose name differs from an earlier one only by case has the number of
  /// its table besides, such as `note-2`.
  private static func name(_ table: RecordTypeTable) -> String {
    let name = EnvironmentTables(environment: .development).tableName(of: table.type.name)
    let number = table.tableName.split(separator: ".").last
    return number == "1" ? name : "\(name)-\(number ?? "")"
  }

  static func remove(_ db: Database) throws {
    for name in try db.rows("SELECT name FROM sqlite_master WHERE type = 'view'", [], { $0.text(0) }) {
      try db.define("DROP VIEW \(name.quoted)")
    }
  }

  private func selection(_ table: RecordTypeTable) -> String {
    let system: [(SystemField, String)] = [
      (.recordName, "r.name"), (.createdTimestamp, Self.time("r.createdAt")),
      (.modifiedTimestamp, Self.time("r.modifiedAt")),
      (.createdUserRecordName, "(SELECT name FROM _user WHERE id = r.createdBy)"),
    ]
    let fields = table.columns.map { column in
      (column.name, column.type == .scalar(.timestamp) ? Self.time("t.\(column.sql)") : "t.\(column.sql)")
    }
    let columns = system.map { ($0.storedName, $1) } + fields
    return """
      SELECT \(columns.map { "\($1) AS \($0.quoted)" }.joined(separator: ", "))
      FROM \(table.sql) t JOIN \(layout.tables.record) r ON r.id = t._id
      """
  }

  private static func time(_ milliseconds: String) -> String {
    """
    CASE WHEN \(milliseconds) BETWEEN \(UTCTime.years.lowerBound) AND \(UTCTime.years.upperBound)
    THEN strftime('%Y-%m-%dT%H:%M:%fZ', \(milliseconds) / 1000.0, 'unixepoch') ELSE \(milliseconds) END
    """
  }
}
