internal import CloudKitModel
internal import GRDB

/// The table of references that act when their target is deleted (DELETE_SELF, VALIDATE).
struct ReferenceTable {
  let db: Database
  let tables: EnvironmentTables

  /// The row ids of the records deleted together with a record, which comes first: those that refer to it with DELETE_SELF,
  /// recursively. A VALIDATE reference from a record that is not among them forbids the deletion
  /// (Documentation/reference/web-services.md#references).
  func recordsToDelete(with id: Int64, _ name: String) throws -> [Int64] {
    var toDelete = [id]
    var seen: Set<Int64> = [id]
    var queue = [name]
    var validating: [Source] = []
    while let target = queue.popLast() {
      for source in try sources(of: target) {
        if source.action == .validate { validating.append(source) }
        guard source.action == .deleteSelf, seen.insert(source.id).inserted else { continue }
        toDelete.append(source.id)
        queue.append(source.name)
      }
    }
    if let remaining = validating.first(where: { !seen.contains($0.id) }) {
      throw ServerError(
        .validatingReferenceError, "record is referenced by another record and cannot be deleted",
        "\(remaining.name) refers to it with the action VALIDATE")
    }
    return toDelete
  }

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

  private typealias Source = (id: Int64, name: String, action: Reference.Action)

  private func sources(of target: String) throws -> [Source] {
    let sql = """
      SELECT DISTINCT source, r.name, action FROM \(tables.link) JOIN \(tables.record) r ON r.id = source
      WHERE target = ? ORDER BY source
      """
    return try db.rows(sql, [.text(target)]) { row -> Source? in
      Reference.Action(rawValue: row.text(2)).map { (row.integer(0), row.text(1), $0) }
    }.compactMap(\.self)
  }

  /// How many other records than the named one refer to the target with DELETE_SELF.
  func deleteSelfSources(of target: String, besides name: String) throws -> Int {
    let sql = """
      SELECT count(DISTINCT source) FROM \(tables.link) WHERE target = ? AND action = 'DELETE_SELF'
      AND source IS NOT (SELECT id FROM \(tables.record) WHERE name = ?)
      """
    return Int(try db.number(sql, [.text(target), .text(name)]))
  }
}
