internal import CloudKitModel
internal import GRDB

/// The tables every container file has, whatever its schema.
///
/// Their names begin with an underscore, which no record type's can (Documentation/reference/schema-language.md#names).
/// Each environment has a directory of its records, because a record name is unique across types, and one table for
/// each record type; the row id of a record is the same in both.
enum Layout {
  /// Raised with every change that an older program would misread.
  static let version: Int32 = 1
  /// "CKLC": what tells a container from any other SQLite file.
  static let applicationID: Int32 = 0x434B_4C43

  static func create(_ db: Database) throws {
    try db.execute(sql: shared)
    for environment in Environment.allCases {
      try db.execute(sql: directory(environment.tables))
      for rule in RecordNameRule.allCases { try db.execute(sql: index(of: rule, environment.tables)) }
    }
    try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }

  private static let shared = """
    CREATE TABLE _counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO _counter VALUES ('changeTag', 0), ('schemaGeneration', 0);
    CREATE TABLE _user (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE _role (environment TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (environment, name));
    CREATE TABLE _type (
      id INTEGER PRIMARY KEY, environment TEXT NOT NULL, name TEXT NOT NULL,
      tableName TEXT NOT NULL UNIQUE COLLATE NOCASE, UNIQUE (environment, name));
    CREATE TABLE _field (
      type INTEGER NOT NULL, name TEXT NOT NULL, dataType TEXT NOT NULL, indexes TEXT NOT NULL,
      columnName TEXT, UNIQUE (type, name));
    CREATE TABLE _grant (type INTEGER NOT NULL, role TEXT NOT NULL, privileges TEXT NOT NULL);
    """

  /// The records whose names break a rule, so that a count can tell them without reading every name.
  private static func index(of rule: RecordNameRule, _ tables: EnvironmentTables) -> String {
    let name = "\(tables.prefix)_record.not.\(rule.rawValue)".quoted
    return "CREATE INDEX \(name) ON \(tables.record) (type) WHERE \(rule.violation)"
  }

  private static func directory(_ tables: EnvironmentTables) -> String {
    """
    CREATE TABLE \(tables.record) (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, type INTEGER NOT NULL, tag INTEGER NOT NULL,
      createdAt INTEGER NOT NULL, createdBy INTEGER NOT NULL,
      modifiedAt INTEGER NOT NULL, modifiedBy INTEGER NOT NULL);
    CREATE TABLE \(tables.link) (
      source INTEGER NOT NULL, field TEXT NOT NULL, target TEXT NOT NULL, action TEXT NOT NULL,
      PRIMARY KEY (source, field, target)) WITHOUT ROWID;
    CREATE INDEX \(tables.linkTarget) ON \(tables.link) (target);
    """
  }
}

/// The names of one environment's own tables, quoted for SQL.
struct EnvironmentTables {
  let environment: Environment

  /// Development's tables carry the types' own names; production's have a prefix with a dot in it, which no
  /// record type's name has.
  var prefix: String { environment == .production ? "production." : "" }

  /// The first choice for a type's table, not quoted. SQLite keeps names that begin with `sqlite_` for itself.
  func tableName(of type: String) -> String {
    prefix + (type.lowercased().hasPrefix("sqlite_") ? "type." : "") + type
  }

  /// id, name, type, tag and stamps of every record.
  var record: String { (prefix + "_record").quoted }
  /// References that do something when their target is deleted; those with the action NONE are not here.
  var link: String { (prefix + "_link").quoted }
  var linkTarget: String { (prefix + "_link.target").quoted }

  func systemIndex(_ field: SystemField, of type: Int64) -> String {
    "\(prefix)_record.\(type).\(field.rawValue)".quoted
  }
}

extension Environment {
  var tables: EnvironmentTables { EnvironmentTables(environment: self) }
}
