/// Continues an ordered result after a known row, so that a page costs what it holds and not what precedes it.
///
/// Missing values come first in ascending and last in descending order, as SQLite sorts them; records that are
/// equal in every key are ordered by row id.
struct Keyset {
  struct Key {
    var sql: String
    var ascending: Bool
  }

  let keys: [Key]

  /// Ties follow the last key's direction, so that its index serves them too.
  private var idAscending: Bool { keys.last?.ascending ?? true }

  var order: String {
    (keys.map { $0.sql + ($0.ascending ? "" : " DESC") } + ["t._id" + (idAscending ? "" : " DESC")])
      .joined(separator: ", ")
  }

  /// Conditions that together cover what follows the row, in order. Two when the first key runs downwards: the
  /// rows without a value come last, and asking for both at once would keep SQLite from using the index.
  func segments(after values: [SQLValue], id: Int64) -> [SQLFragment] {
    guard let first = keys.first, let value = values.first else { return [following(values, id)] }
    var rest = following(values, id)
    switch (first.ascending, value) {
    case (true, .null): return [rest]
    case (false, .null):
      rest.sql = "\(first.sql) IS NULL AND \(rest.sql)"
      return [rest]
    default:
      rest.sql = "\(first.sql) \(first.ascending ? ">=" : "<=") ? AND \(rest.sql)"
      rest.values.insert(value, at: 0)
      return first.ascending ? [rest] : [rest, SQLFragment(sql: "\(first.sql) IS NULL")]
    }
  }

  /// Lexicographic order spelt out: beyond in the first key, or equal there and beyond in the next, and so on.
  private func following(_ values: [SQLValue], _ id: Int64) -> SQLFragment {
    var condition = SQLFragment(sql: "t._id \(idAscending ? ">" : "<") ?", values: [.integer(id)])
    for (key, value) in zip(keys, values).reversed() {
      let beyond = beyond(key, value)
      condition = SQLFragment(
        sql: "(\(beyond.sql) OR (\(key.sql) IS ? AND \(condition.sql)))",
        values: beyond.values + [value] + condition.values)
    }
    return condition
  }

  private func beyond(_ key: Key, _ value: SQLValue) -> SQLFragment {
    switch (key.ascending, value) {
    case (true, .null): SQLFragment(sql: "\(key.sql) IS NOT NULL")
    case (false, .null): SQLFragment(sql: "0")
    case (true, _): SQLFragment(sql: "\(key.sql) > ?", values: [value])
    case (false, _): SQLFragment(sql: "(\(key.sql) < ? OR \(key.sql) IS NULL)", values: [value])
    }
  }
}
