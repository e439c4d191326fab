internal import CloudKitModel
internal import GRDB
internal import SchemaLanguage

/// Changes an environment's tables to match a schema that ``SchemaReplacementCheck`` has accepted.
struct SchemaWriter {
  let db: Database
  let layout: SchemaTables
  /// Whether the names of the record types are those of views, so that no table has one.
  var namesAreViews = false

  /// How many types of an environment have a table before they have records. SQLite searches its list of all tables and
  /// indexes for each one that it creates, so that thousands of tables take time that grows with the square of their
  /// number.
  static let maxEagerTables = 200

  /// Replaces the schema. Record types and fields that it leaves out are deleted with their data.
  func replace(with schema: Schema) throws {
    let kept = Set(schema.recordTypes.map(\.name))
    let dropped = layout.typeTables.filter { !kept.contains($0.type.name) }
    for table in dropped { try drop(table) }
    if !dropped.isEmpty { try UserTable.recountUses(db) }
    var eager = layout.typeTables.count { $0.isStored && kept.contains($0.type.name) }
    for type in schema.recordTypes {
      if let table = layout[recordType: type.name] {
        try alter(table, to: type)
        continue
      }
      let table = try define(type)
      guard eager < Self.maxEagerTables else { continue }
      try createTable(table)
      eager += 1
    }
    try writeRoles(schema.roles)
    try countGeneration()
  }

  func store(_ table: RecordTypeTable) throws {
    try createTable(table)
    try countGeneration()
  }

  private func countGeneration() throws {
    try db.run("UPDATE _counter SET value = value + 1 WHERE name = 'schemaGeneration'")
  }

  /// Keeps the roles in the order in which they were created, as the service exports them.
  private func writeRoles(_ declared: [Role]) throws {
    let present = layout.schema.roles.filter(declared.contains)
    let roles = present + declared.filter { !present.contains($0) }
    let environment = SQLValue.text(layout.environment.rawValue)
    try db.run("DELETE FROM _role WHERE environment = ?", [environment])
    for role in roles { try db.run("INSERT INTO _role VALUES (?, ?)", [environment, .text(role.name)]) }
  }

  // MARK: - Types

  /// Lists a new type, without a table.
  private func define(_ type: RecordType) throws -> RecordTypeTable {
    let tableName = try freeTableName(type.name)
    try db.run(
      "INSERT INTO _type (environment, name, tableName) VALUES (?, ?, ?)",
      [.text(layout.environment.rawValue), .text(type.name), .text(tableName)])
    let id = db.lastInsertedRowID
    let columns = columns(of: type, keeping: [], tableName: tableName)
    try writeDefinition(type, id: id, columns: columns)
    return RecordTypeTable(id: id, type: type, tableName: tableName, columns: columns, isStored: false)
  }

  private func createTable(_ table: RecordTypeTable) throws {
    let definitions = table.columns.map { ", \($0.sql) \($0.affinity)" }.joined()
    try db.define("CREATE TABLE \(table.tableName.quoted) (_id INTEGER PRIMARY KEY\(definitions))")
    for column in table.columns { try createIndexes(column) }
    try setSystemIndexes(of: table.id, from: nil, to: table.type)
  }

  private func drop(_ table: RecordTypeTable) throws {
    if table.isStored { try dropTable(table) }
    try deleteDefinition(table.id)
    try db.run("DELETE FROM _type WHERE id = ?", [.integer(table.id)])
  }

  private func dropTable(_ table: RecordTypeTable) throws {
    let records = "SELECT id FROM \(layout.tables.record) WHERE type = \(table.id)"
    try setSystemIndexes(of: table.id, from: table.type, to: nil)
    for column in table.columns { try column.termTable?.drop(db) }
    try db.define("DROP TABLE \(table.sql)")
    try db.run("DELETE FROM \(layout.tables.link) WHERE source IN (\(records))")
    try db.run("DELETE FROM \(layout.tables.record) WHERE type = ?", [.integer(table.id)])
  }

  private func alter(_ table: RecordTypeTable, to type: RecordType) throws {
    let columns = columns(of: type, keeping: table.columns, tableName: table.tableName)
    if table.isStored { try alterTable(table, to: type, columns) }
    try deleteDefinition(table.id)
    try writeDefinition(type, id: table.id, columns: columns)
  }

  private func alterTable(_ table: RecordTypeTable, to type: RecordType, _ columns: [FieldColumn]) throws {
    for column in table.columns where type[field: column.field.name] == nil { try drop(column, of: table) }
    for column in columns {
      guard let old = table[field: column.field.name] else {
        try add(column, to: table)
        continue
      }
      if old.type != column.type {
        try changeType(of: old, to: column, in: table)
      } else {
        try changeIndexes(from: old, to: column, in: table)
      }
    }
    try setSystemIndexes(of: table.id, from: table.type, to: type)
  }

  private func deleteDefinition(_ id: Int64) throws {
    try db.run("DELETE FROM _field WHERE type = ?", [.integer(id)])
    try db.run("DELETE FROM _grant WHERE type = ?", [.integer(id)])
  }

  private func writeDefinition(_ type: RecordType, id: Int64, columns: [FieldColumn]) throws {
    let names = Dictionary(columns.map { ($0.field.name, $0.name) }) { first, _ in first }
    for field in type.fields {
      try db.run(
        "INSERT INTO _field VALUES (?, ?, ?, ?, ?)",
        [
          .integer(id), .text(field.name), .text(field.type.description),
          .text(field.indexes.map(\.rawValue).joined(separator: " ")),
          names[field.name].map(SQLValue.text) ?? .null,
        ])
    }
    for grant in type.grants {
      let privileges = grant.privileges.map(\.rawValue).joined(separator: " ")
      try db.run(
        "INSERT INTO _grant VALUES (?, ?, ?)", [.integer(id), .text(grant.role), .text(privileges)])
    }
  }

  // MARK: - Fields

  private func add(_ column: FieldColumn, to table: RecordTypeTable) throws {
    try db.define("ALTER TABLE \(table.sql) ADD COLUMN \(column.sql) \(column.affinity)")
    try createIndexes(column)
  }

  private func drop(_ column: FieldColumn, of table: RecordTypeTable) throws {
    try dropIndexes(column)
    try db.define("ALTER TABLE \(table.sql) DROP COLUMN \(column.sql)")
    guard column.type.element == .reference else { return }
    try db.run(
      """
      DELETE FROM \(layout.tables.link) WHERE field = ?
      AND source IN (SELECT id FROM \(layout.tables.record) WHERE type = ?)
      """, [.text(column.field.name), .integer(table.id)])
  }

  /// Keeps numbers if both types are numeric; other values are lost
  /// (Documentation/reference/schema-language.md#allowed-changes, inferred).
  private func changeType(of old: FieldColumn, to new: FieldColumn, in table: RecordTypeTable) throws {
    let numbers: Set<FieldType> = [.scalar(.int64), .scalar(.double)]
    guard numbers.contains(old.type), numbers.contains(new.type) else {
      try drop(old, of: table)
      return try add(new, to: table)
    }
    let aside = "former." + old.name
    try dropIndexes(old)
    try db.define("ALTER TABLE \(table.sql) RENAME COLUMN \(old.sql) TO \(aside.quoted)")
    try db.define("ALTER TABLE \(table.sql) ADD COLUMN \(new.sql) \(new.affinity)")
    try db.run("UPDATE \(table.sql) SET \(new.sql) = CAST(\(aside.quoted) AS \(new.affinity))")
    try db.define("ALTER TABLE \(table.sql) DROP COLUMN \(aside.quoted)")
    try createIndexes(new)
  }

  // MARK: - Indexes

  private func changeIndexes(from old: FieldColumn, to new: FieldColumn, in table: RecordTypeTable) throws {
    guard old.field.indexes != new.field.indexes else { return }
    try dropIndexes(old)
    try createIndexes(new)
    guard let terms = new.termTable else { return }
    let values = try db.rows("SELECT _id, \(new.sql) FROM \(table.sql) WHERE \(new.sql) IS NOT NULL") {
      ($0.integer(0), try StoredValue.decode($0[1], as: new.type))
    }
    for (id, value) in values { try terms.insert(db, value, id: id) }
  }

  /// Drops the indexes of a type that is about to be filled: each record would change another page of each index.
  /// Whether a query is allowed depends on the schema, which stays as it is.
  func dropValueIndexes(of table: RecordTypeTable) throws {
    for column in table.columns { try dropValueIndex(column) }
    try setSystemIndexes(of: table.id, from: table.type, to: nil)
  }

  func createValueIndexes(of table: RecordTypeTable) throws {
    for column in table.columns { try createValueIndex(column) }
    try setSystemIndexes(of: table.id, from: nil, to: table.type)
  }

  private func createIndexes(_ column: FieldColumn) throws {
    try createValueIndex(column)
    try column.termTable?.create(db)
  }

  private func dropIndexes(_ column: FieldColumn) throws {
    try dropValueIndex(column)
    try column.termTable?.drop(db)
  }

  private func createValueIndex(_ column: FieldColumn) throws {
    guard column.hasColumnIndex else { return }
    try db.define(
      "CREATE INDEX IF NOT EXISTS \(column.indexName) ON \(column.tableName.quoted) (\(column.sql))")
  }

  private func dropValueIndex(_ column: FieldColumn) throws {
    if column.hasColumnIndex { try db.define("DROP INDEX IF EXISTS \(column.indexName)") }
  }

  /// Creates or drops the indexes of system fields. These are columns of the directory, so each index covers the
  /// records of one type. The record name is always indexed.
  private func setSystemIndexes(of id: Int64, from old: RecordType?, to new: RecordType?) throws {
    for (field, column) in SystemField.directoryColumns {
      let had = old?[field: field.storedName]?.indexes.isEmpty == false
      let has = new?[field: field.storedName]?.indexes.isEmpty == false
      let index = layout.tables.systemIndex(field, of: id)
      if had, !has { try db.define("DROP INDEX IF EXISTS \(index)") }
      if has, !had {
        try db.define(
          "CREATE INDEX IF NOT EXISTS \(index) ON \(layout.tables.record) (\(column)) WHERE type = \(id)")
      }
    }
  }

  // MARK: - Names

  /// Adds a number to a name that differs from another only by case, because SQLite ignores case.
  private func freeTableName(_ typeName: String) throws -> String {
    let base = layout.tables.tableName(of: typeName)
    var (candidate, number) = namesAreViews ? ("\(base).1", 1) : (base, 1)
    while try db.has("SELECT 1 FROM _type WHERE tableName = ?", [.text(candidate)]) {
      number += 1
      candidate = "\(base).\(number)"
    }
    return candidate
  }

  private func columns(of type: RecordType, keeping kept: [FieldColumn], tableName: String) -> [FieldColumn] {
    let keptNames = Dictionary(kept.map { ($0.field.name, $0.name) }) { first, _ in first }
    var usedNames = Set(keptNames.values.map { $0.lowercased() })
    return type.fields.filter { !$0.isSystem }.map { field in
      if let name = keptNames[field.name] { return FieldColumn(field, name: name, tableName: tableName) }
      var (name, number) = (field.name, 1)
      while !usedNames.insert(name.lowercased()).inserted {
        number += 1
        name = "\(field.name).\(number)"
      }
      return FieldColumn(field, name: name, tableName: tableName)
    }
  }
}

extension SystemField {
  /// The system fields that are columns of the directory and do not have an index already.
  static let directoryColumns: [(SystemField, String)] = [
    (.createdTimestamp, "createdAt"), (.createdUserRecordName, "createdBy"),
    (.modifiedTimestamp, "modifiedAt"), (.modifiedUserRecordName, "modifiedBy"),
  ]
}
