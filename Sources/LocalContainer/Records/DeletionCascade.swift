internal import CloudKitModel
internal import GRDB

/// The records deleted together with a record: those that refer to it with DELETE_SELF, recursively. A VALIDATE
/// reference from a record that is not among them forbids the deletion
/// (Documentation/reference/web-services.md#references).
struct DeletionCascade {
  let db: Database
  let tables: EnvironmentTables

  /// Row ids of the records to delete, the named record first.
  func recordsToDelete(with id: Int64, _ name: String) throws -> [Int64] {
    let links = ReferenceTable(db: db, tables: tables)
    var toDelete = [id]
    var seen: Set<Int64> = [id]
    var queue = [name]
    var validating: [ReferenceTable.Source] = []
    while let target = queue.popLast() {
      for source in try links.sources(of: target) {
        if source.action == .validate { validating.append(source) }
        guard source.action == .deleteSelf, seen.insert(source.id).inserted else { continue }
        toDelete.append(source.id)
        queue.append(source.name)
      }
    }
    if let remaining = validating.first(where: { !seen.contains($0.id) }) {
      throw ServiceRefusal(
        .validatingReferenceError, "record is referenced by another record and cannot be deleted",
        "\(remaining.name) refers to it with the action VALIDATE")
    }
    return toDelete
  }
}

/// The order in which a request's operations are applied: the request's order, except that a record comes after the
/// targets of its VALIDATE references.
struct OperationOrder {
  private(set) var indices: [Int] = []
  private var state: [Int: Bool] = [:]
  private let operations: [RecordOperation]
  private let places: [String: Int]

  init(_ operations: [RecordOperation]) {
    self.operations = operations
    places = Dictionary(
      operations.enumerated().compactMap { index, operation in operation.recordName.map { ($0, index) } }
    ) { first, _ in first }
    for index in operations.indices { visit(index) }
  }

  private mutating func visit(_ start: Int) {
    var stack = [start]
    while let index = stack.last {
      let waiting = state[index] == nil ? targets(of: index).filter { state[$0] == nil && $0 != index } : []
      if state[index] == nil { state[index] = false }
      guard waiting.isEmpty else {
        stack += waiting.reversed()
        continue
      }
      stack.removeLast()
      if state.updateValue(true, forKey: index) == false { indices.append(index) }
    }
  }

  private func targets(of index: Int) -> [Int] {
    var targets: [Int] = []
    for case let value? in operations[index].fields.values {
      for reference in value.actingReferences where reference.action == .validate {
        if let place = places[reference.recordName] { targets.append(place) }
      }
    }
    return targets.sorted()
  }
}

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
  var actingReferences: [Reference] {
    (elements ?? [self]).compactMap(\.reference).filter { $0.action != .none }
  }
}
