internal import CloudKitModel
internal import GRDB
internal import SchemaLanguage

extension MirrorFile {
  /// Gives the file the schema of the mirrored types, with its roles. A type that the service's schema does not have any more stays as it
  /// is. Values of fields that are gone, or whose type changed, are kept aside.
  ///
  /// - Parameters:
  ///   - leftOut: the service's other types.
  ///   - rules: by record type, ``PersonDigests/rules(of:)``.
  func follow(
    _ service: Schema, leavingOut leftOut: [String], _ rules: [String: String]
  ) async throws {
    try await store.write(source.environment) { db, layout in
      guard let mark = try MirrorMark(db) else { return }
      try db.run("DELETE FROM _mirror_left_out")
      for name in leftOut { try db.run("INSERT INTO _mirror_left_out VALUES (?)", [.text(name)]) }
      let types = service.recordTypes
      var schema = layout.schema
      schema.roles += service.roles.filter { !schema.roles.contains($0) }
      for type in types {
        if let index = schema.recordTypes.firstIndex(where: { $0.name == type.name }) {
          schema.recordTypes[index] = type
        } else {
          schema.recordTypes.append(type)
        }
      }
      var known = Dictionary(mark.types.map { ($0.name, $0) }) { first, _ in first }
      for type in types where known[type.name] == nil { known[type.name] = MirroredType(type.name) }
      for table in layout.typeTables {
        guard let new = types.first(where: { $0.name == table.type.name }),
          new.storedFieldTypes != table.type.storedFieldTypes
        else { continue }
        try Self.keepAside(
          table.columns.filter { new.storedFieldTypes[$0.field.name] != $0.type }, of: table, db, layout)
        known[table.type.name]?.needsAllFields = true
        known[table.type.name]?.marker = nil
      }
      for var type in known.values {
        if let rules = rules[type.name], rules != type.rules {
          // What the file has was replaced by other rules.
          if type.rules != nil { (type.needsAllFields, type.marker) = (true, nil) }
          type.rules = rules
        }
        try type.write(db)
      }
      guard schema != layout.schema else { return }
      // SQLite does not drop a column while a view names it.
      try MirrorViews.remove(db)
      try SchemaWriter(db: db, layout: layout, namesAreViews: true).replace(with: schema)
      let new = try SchemaTables.load(db, layout.environment)
      for table in new.typeTables where !table.isStored {
        try SchemaWriter(db: db, layout: new, namesAreViews: true).store(table)
      }
      try MirrorViews(db: db, layout: SchemaTables.load(db, layout.environment)).make()
    }
  }

  private static func keepAside(
    _ columns: [FieldColumn], of table: RecordTypeTable, _ db: Database, _ layout: SchemaTables
  ) throws {
    for column in columns where table.isStored {
      try db.run(
        """
        INSERT OR REPLACE INTO _mirror_aside
        SELECT r.name, ?, ?, t.\(column.sql) FROM \(table.sql) t JOIN \(layout.tables.record) r ON r.id = t._id
        WHERE t.\(column.sql) IS NOT NULL
        """, [.text(column.field.name), .text(table.type.name)])
    }
  }

  /// How many values of each field are kept aside, because the schema lacks the field or gives it another type.
  package func keptAside() async throws -> [(recordType: String, field: String, values: Int)] {
    try await write { db, _ in
      try db.rows("SELECT type, field, count(*) FROM _mirror_aside GROUP BY type, field ORDER BY type, field")
      {
        (recordType: $0.text(0), field: $0.text(1), values: Int($0.integer(2)))
      }
    }
  }
}

extension RecordType {
  fileprivate var storedFieldTypes: [String: FieldType] {
    Dictionary(fields.filter { !$0.isSystem }.map { ($0.name, FieldType($0.type)) }) { first, _ in first }
  }
}
