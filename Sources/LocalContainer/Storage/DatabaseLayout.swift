internal import CloudKitModel
internal import GRDB
internal import Platform
internal import SchemaLanguage

/// The tables that every container file has, independent of its schema.
///
/// Their names begin with an underscore, which no record type's can (Documentation/reference/schema-language.md#names).
/// Each environment has a directory of its records, because a record name is unique across types, and one table for
/// each record type; the row id of a record is the same in both. In a large schema, a type gets its table with its first
/// record (``SchemaWriter/maxEagerTables``).
enum DatabaseLayout {
  /// Increased with every change that an earlier version of this tool would misread.
  static let version: Int32 = 4
  /// "CKLC": distinguishes a container from other SQLite files.
  static let applicationID: Int32 = 0x434B_4C43

  /// - Parameter file: `nil` for a database in memory.
  static func create(_ db: Database, file: FileIdentity?) throws {
    try db.execute(sql: shared)
    try StoredIdentity(file: file).write(db)
    for environment in Environment.allCases {
      try db.execute(sql: directory(environment.tables))
      try db.execute(sql: environment.tables.nameIndexDefinition)
      try db.execute(sql: environment.tables.ruleIndexDefinition)
    }
    try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }

  private static let shared = """
    CREATE TABLE _counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO _counter VALUES ('changeTag', 0), ('schemaGeneration', 0);
    CREATE TABLE _user (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, uses INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE _role (environment TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (environment, name));
    CREATE TABLE _type (
      id INTEGER PRIMARY KEY, environment TEXT NOT NULL, name TEXT NOT NULL,
      tableName TEXT NOT NULL UNIQUE COLLATE NOCASE, UNIQUE (environment, name));
    CREATE TABLE _field (
      type INTEGER NOT NULL, name TEXT NOT NULL, dataType TEXT NOT NULL, indexes TEXT NOT NULL,
      columnName TEXT, UNIQUE (type, name));
    CREATE TABLE _grant (type INTEGER NOT NULL, role TEXT NOT NULL, privileges TEXT NOT NULL);
    """

  private static func directory(_ tables: EnvironmentTables) -> String {
    """
    CREATE TABLE \(tables.record) (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, type INTEGER NOT NULL, tag INTEGER NOT NULL,
      createdAt INTEGER NOT NULL, createdBy INTEGER NOT NULL,
      modifiedAt INTEGER NOT NULL, modifiedBy INTEGER NOT NULL);
    CREATE TABLE \(tables.link) (
      source INTEGER NOT NULL, field TEXT NOT NULL, target TEXT NOT NULL, action TEXT NOT NULL,
      PRIMARY KEY (source, field, target)) WITHOUT ROWID;
    CREATE INDEX \(tables.linkTarget) ON \(tables.link) (target);
    """
  }
}

struct EnvironmentTables: Sendable {
  let environment: Environment
  /// Tables of development have the names of the record types. Those of production have a prefix with a dot, which
  /// no record type's name can contain.
  let prefix: String
  /// The directory: id, name, type, change tag and stamps of every record.
  let record: String
  /// The index that keeps record names unique, not quoted.
  let nameIndex: String
  /// The index of the records whose names break the rule, so that counting them does not read every name. Mirrors have
  /// none: to check each name takes as long as to store the record.
  let ruleIndex: String
  /// References that act when their target is deleted. References with the action NONE are not stored here.
  let link: String
  let linkTarget: String

  init(environment: Environment) {
    self.environment = environment
    prefix = environment == .production ? "production." : ""
    record = (prefix + "_record").quoted
    nameIndex = prefix + "_record.name"
    ruleIndex = (prefix + "_record.not.\(RecordNameRule.sha256.rawValue)").quoted
    link = (prefix + "_link").quoted
    linkTarget = (prefix + "_link.target").quoted
  }

  var nameIndexDefinition: String { "CREATE UNIQUE INDEX \(nameIndex.quoted) ON \(record) (name)" }
  var ruleIndexDefinition: String {
    "CREATE INDEX IF NOT EXISTS \(ruleIndex) ON \(record) (type) WHERE \(RecordNameRule.sha256.violation)"
  }

  /// The preferred table name for a record type, not quoted. SQLite reserves names that begin with `sqlite_`.
  func tableName(of type: String) -> String {
    prefix + (type.lowercased().hasPrefix("sqlite_") ? "type." : "") + type
  }

  func systemIndex(_ field: SystemField, of type: Int64) -> String {
    "\(prefix)_record.\(type).\(field.rawValue)".quoted
  }
}

extension Environment {
  var tables: EnvironmentTables { EnvironmentTables(environment: self) }
}
