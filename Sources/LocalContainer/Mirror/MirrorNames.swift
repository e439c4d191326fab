internal import GRDB

/// The index of record names in the file of a mirror.
///
/// A file has none until its first copy ends: names come in no order, so that each record would change another page of
/// it. A record that the service changes during the copy may be there twice until then.
struct MirrorNames {
  let db: Database
  let tables: EnvironmentTables

  var areIndexed: Bool {
    get throws {
      try db.has("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?", [.text(tables.nameIndex)])
    }
  }

  func dropIndexes() throws {
    for index in [tables.nameIndex.quoted, tables.ruleIndex] { try db.define("DROP INDEX \(index)") }
  }

  /// Makes the index unless the file has it. Of the versions of a record the one that was changed last stays.
  ///
  /// - Returns: the names of the versions that went, with the ids of their types.
  func index(_ layout: SchemaTables) throws -> [(name: String, type: Int64)] {
    guard try !areIndexed else { return [] }
    do {
      try db.define(tables.nameIndexDefinition)
      return []
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      let former = try db.rows(
        """
        SELECT id, name, type FROM (
          SELECT id, name, type, row_number() OVER (PARTITION BY name ORDER BY modifiedAt DESC, id DESC) AS place
          FROM \(tables.record))
        WHERE place > 1
        """
      ) { (id: $0.integer(0), name: $0.text(1), type: $0.integer(2)) }
      let writer = try MirrorWriter(db: db, layout: layout)
      for version in former { try writer.delete(version.id, isFormer: true) }
      try writer.finish()
      try db.define(tables.nameIndexDefinition)
      return former.map { ($0.name, $0.type) }
    }
  }
}
