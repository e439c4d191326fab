internal import CloudKitModel
internal import GRDB

/// The table of references that act when their target is deleted (DELETE_SELF, VALIDATE).
struct ReferenceTable {
  let db: Database
  let tables: EnvironmentTables

  /// Replaces the link rows of a record's field by those of its new value.
  func replace(_ value: FieldValue?, field: String, of id: Int64, had old: FieldValue?) throws {
    if old?.actingReferences.isEmpty == false {
      try db.run("DELETE FROM \(tables.link) WHERE source = ? AND field = ?", [.integer(id), .text(field)])
    }
    for reference in value?.actingReferences ?? [] {
      try db.run(
        "INSERT OR REPLACE INTO \(tables.link) VALUES (?, ?, ?, ?)",
        [.integer(id), .text(field), .text(reference.recordName), .text(reference.action.rawValue)])
    }
  }

  func removeAll(of id: Int64) throws {
    try db.run("DELETE FROM \(tables.link) WHERE source = ?", [.integer(id)])
  }

  /// A record that refers to another one.
  struct Source: Hashable {
    var id: Int64
    var name: String
    var action: Reference.Action
  }

  func sources(of target: String) throws -> [Source] {
    let sql = """
      SELECT DISTINCT source, r.name, action FROM \(tables.link) JOIN \(tables.record) r ON r.id = source
      WHERE target = ? ORDER BY source
      """
    var sources: [Source] = []
    try db.forEachRow(sql, [.text(target)]) { row in
      guard let action = Reference.Action(rawValue: row.text(2)) else { return }
      sources.append(Source(id: row.integer(0), name: row.text(1), action: action))
    }
    return sources
  }

  func deleteSelfSources(of target: String) throws -> Int {
    let sql = "SELECT count(DISTINCT source) FROM \(tables.link) WHERE target = ? AND action = 'DELETE_SELF'"
    return Int(try db.first(sql, [.text(target)]) { $0.integer(0) } ?? 0)
  }
}

extension FieldValue {
  /// The references in this value whose action is not NONE.
  var actingReferences: [Reference] {
    (elements ?? [self]).compactMap(\.reference).filter { $0.action != .none }
  }
}
