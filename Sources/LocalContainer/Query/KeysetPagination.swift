/// Continues an ordered result after a known row (keyset pagination), so that the cost of a page does not depend on
/// the number of rows before it.
///
/// As in SQLite, missing values come first in ascending order and last in descending order. Records with equal keys
/// are ordered by row id.
struct KeysetPagination {
  /// A column or expression to sort by.
  struct Key {
    var sql: String
    var ascending: Bool
    /// The values that an IN filter allows for this key, if one does: the index is then searched once for each
    /// value.
    var members: [SQLValue]?
  }

  var keys: [Key] = []
  /// The row id column of the table whose index gives the order. SQLite does not know that the other table's row id
  /// is equal.
  var rowID = "t._id"

  /// Ties are ordered in the last key's direction, so that its index can be used for them too.
  private var idAscending: Bool { keys.last?.ascending ?? true }

  var order: String {
    (keys.map { $0.sql + ($0.ascending ? "" : " DESC") } + [rowID + (idAscending ? "" : " DESC")])
      .joined(separator: ", ")
  }

  /// Conditions for the rows after the given one, in order, each of them one range of an index: first the rows
  /// equal in all keys, then those equal in all keys but the last, and so on. With a single combined condition,
  /// SQLite would scan the equal rows again for every page.
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
