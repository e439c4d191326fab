/// Continues an ordered result after a known row, so that a page costs what it holds and not what precedes it.
///
/// Missing values come first in ascending and last in descending order, as SQLite sorts them; records that are
/// equal in every key are ordered by row id.
struct Keyset {
  struct Key {
    var sql: String
    var ascending: Bool
    /// The only values it can have, when an IN filter says so: the index is then entered once for each.
    var members: [SQLValue]?
  }

  var keys: [Key] = []
  /// The row id of the table whose index serves the order. SQLite does not see that the other table's is equal.
  var rowID = "t._id"

  /// Ties follow the last key's direction, so that its index serves them too.
  private var idAscending: Bool { keys.last?.ascending ?? true }

  var order: String {
    (keys.map { $0.sql + ($0.ascending ? "" : " DESC") } + [rowID + (idAscending ? "" : " DESC")])
      .joined(separator: ", ")
  }

  /// What follows the row, in order, each part one stretch of an index: its equals in every key, then its equals
  /// in all keys but the last and beyond there, and so on. One condition for all would make SQLite walk through
  /// the row's equals again for every page.
  func segments(after values: [SQLValue], id: Int64) -> [SQLFragment] {
    let ties = SQLFragment(sql: "\(rowID) \(idAscending ? ">" : "<") ?", values: [.integer(id)])
    var segments = [joined(equals(values, keys.count) + [ties])]
    for last in keys.indices.reversed() {
      for beyond in beyond(keys[last], values[last]) {
        segments.append(joined(equals(values, last) + [beyond]))
      }
    }
    return segments
  }

  private func equals(_ values: [SQLValue], _ count: Int) -> [SQLFragment] {
    zip(keys, values).prefix(count).map { key, value in
      value == .null
        ? SQLFragment(sql: "\(key.sql) IS NULL") : SQLFragment(sql: "\(key.sql) = ?", values: [value])
    }
  }

  private func beyond(_ key: Key, _ value: SQLValue) -> [SQLFragment] {
    switch (key.ascending, value) {
    case (true, .null): [SQLFragment(sql: "\(key.sql) IS NOT NULL")]
    case (false, .null): []
    case (true, _): [compare(key, ">", value)]
    case (false, _): [compare(key, "<", value), SQLFragment(sql: "\(key.sql) IS NULL")]
    }
  }

  private func compare(_ key: Key, _ operation: String, _ value: SQLValue) -> SQLFragment {
    guard let members = key.members, !members.isEmpty else {
      return SQLFragment(sql: "\(key.sql) \(operation) ?", values: [value])
    }
    let list = repeatElement("(?)", count: members.count).joined(separator: ", ")
    return SQLFragment(
      sql: "\(key.sql) IN (SELECT column1 FROM (VALUES \(list)) WHERE column1 \(operation) ?)",
      values: members + [value])
  }

  private func joined(_ parts: [SQLFragment]) -> SQLFragment {
    SQLFragment(sql: parts.map(\.sql).joined(separator: " AND "), values: parts.flatMap(\.values))
  }
}
