internal import CloudKitModel
internal import SchemaLanguage

internal import class GRDB.Database

/// Writes checked records to SQLite: the directory, the type's table, its search terms and its links.
struct RecordWriter {
  private let db: Database
  private let tables: EnvironmentTables
  private let directory: PreparedStatement
  private let links: ReferenceTable

  init(db: Database, tables: EnvironmentTables) throws {
    self.db = db
    self.tables = tables
    directory = try PreparedStatement(
      db,
      """
      INSERT INTO \(tables.record) (name, type, tag, createdAt, createdBy, modifiedAt, modifiedBy)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    links = ReferenceTable(db: db, tables: tables)
  }

  /// - Returns: the record's row id.
  @discardableResult
  func insert(_ record: Record, into table: RecordTypeTable, header: RecordHeader) throws -> Int64 {
    let created = header.created ?? header.modified
    try directory.bind([
      .text(record.recordName), .integer(table.id), header.tag, .integer(created.time),
      .integer(created.user), .integer(header.modified.time), .integer(header.modified.user),
    ])
    try directory.runOnce()
    let id = db.lastInsertedRowID
    let row = try PreparedStatement(db, table.insertSQL)
    try row.bind(.integer(id), at: 1)
    for (index, column) in table.columns.enumerated() {
      try row.bind(record.fields[column.field.name].map(StoredValue.encode) ?? .null, at: index + 2)
    }
    try row.runOnce()
    try updateDerived(id, table.columns, from: [:], to: record.fields)
    return id
  }

  func update(_ id: Int64, in table: RecordTypeTable, from old: Record, to new: Record, header: RecordHeader)
    throws
  {
    try updateFields(id, in: table, from: old.fields, to: new.fields)
    let modified = header.modified
    try db.run(
      "UPDATE \(tables.record) SET tag = ?, modifiedAt = ?, modifiedBy = ? WHERE id = ?",
      [header.tag, .integer(modified.time), .integer(modified.user), .integer(id)])
    guard let created = header.created else { return }
    try db.run(
      "UPDATE \(tables.record) SET createdAt = ?, createdBy = ? WHERE id = ?",
      [.integer(created.time), .integer(created.user), .integer(id)])
  }

  private func updateFields(
    _ id: Int64, in table: RecordTypeTable, from old: [String: FieldValue], to new: [String: FieldValue]
  ) throws {
    let changed = table.columns.filter { old[$0.field.name] != new[$0.field.name] }
    guard !changed.isEmpty else { return }
    let assignments = changed.map { "\($0.sql) = ?" }.joined(separator: ", ")
    let values = changed.map { new[$0.field.name].map(StoredValue.encode) ?? .null }
    try db.run("UPDATE \(table.sql) SET \(assignments) WHERE _id = ?", values + [.integer(id)])
    try updateDerived(id, changed, from: old, to: new)
  }

  func delete(_ id: Int64, _ record: Record, from table: RecordTypeTable) throws {
    try updateDerived(id, table.columns, from: record.fields, to: [:])
    try links.removeAll(of: id)
    try db.run("DELETE FROM \(table.sql) WHERE _id = ?", [.integer(id)])
    try db.run("DELETE FROM \(tables.record) WHERE id = ?", [.integer(id)])
  }

  private func updateDerived(
    _ id: Int64, _ columns: [FieldColumn], from old: [String: FieldValue], to new: [String: FieldValue]
  ) throws {
    for column in columns {
      let terms = column.termTable
      let hasLinks = column.type.element == .reference
      guard terms != nil || hasLinks else { continue }
      let (before, after) = (old[column.field.name], new[column.field.name])
      guard before != after else { continue }
      try terms?.remove(db, before, id: id)
      try terms?.insert(db, after, id: id)
      if hasLinks {
        try links.replace(after, field: column.field.name, of: id, had: before)
      }
    }
  }
}

/// The change tag and the stamps that the directory of records stores for a write.
struct RecordHeader {
  struct Stamp {
    /// Milliseconds since 1970.
    var time: Int64
    var user: Int64
  }

  var tag: SQLValue
  /// `nil` keeps the stamp that the record has; a new record gets ``modified``.
  var created: Stamp?
  var modified: Stamp
}
