internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import SchemaLanguage

/// Continues an ordered result after a known row (keyset pagination), so that the cost of a page does not depend on
/// the number of rows before it.
///
/// As in SQLite, missing values come first in ascending order and last in descending order. Records with equal keys
/// are ordered by row id.
struct KeysetPagination {
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
    var segments = [(equals(values, keys.count) + [ties]).conjunction]
    for last in keys.indices.reversed() {
      for beyond in beyond(keys[last], values[last]) {
        segments.append((equals(values, last) + [beyond]).conjunction)
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
}

/// A continuation marker: the sort keys and the row id of a page's last record, and a digest of the query. Clients
/// treat it as opaque base64 text.
struct PageMarker {
  var digest: String
  var keys: [SQLValue]
  var id: Int64

  var text: String {
    let json: JSONValue = ["q": .string(digest), "k": .array(keys.map(\.json)), "i": .integer(id)]
    return Data(json.bytes()).base64EncodedString()
  }
}

extension PageMarker {
  /// `nil` if the text is not a marker that this container made.
  init?(_ text: String) {
    guard let data = Data(base64Encoded: text), let json = try? JSONValue(parsing: Array(data)),
      let digest = json["q"]?.string, let id = json["i"]?.integer, let stored = json["k"]?.array
    else { return nil }
    let keys = stored.compactMap(SQLValue.init(json:))
    guard keys.count == stored.count else { return nil }
    self.init(digest: digest, keys: keys, id: id)
  }

  /// A digest of the query and the environment, which detects a marker that is sent with another query.
  static func digest(of query: Query, in environment: Environment) -> String {
    let filters = query.filters.map { filter in
      JSONValue.array([
        .string(filter.comparator.rawValue), .string(filter.field.storedName), filter.value.json,
        filter.distance.map(JSONValue.double) ?? .null,
      ])
    }
    let sorts = query.sorts.map { sort in
      JSONValue.array([
        .string(sort.field.storedName), .bool(sort.ascending), sort.relativeLocation?.json ?? .null,
      ])
    }
    let description: JSONValue = [
      "e": .string(environment.rawValue), "t": .string(query.recordType), "f": .array(filters),
      "s": .array(sorts),
    ]
    return String(SHA256.hex(description.bytes()).prefix(16))
  }
}

extension SQLValue {
  fileprivate var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): ["d": .string(String(value.bitPattern, radix: 16))]
    case .text(let value): .string(value)
    case .blob(let value): ["b": .string(Data(value).base64EncodedString())]
    }
  }

  fileprivate init?(json: JSONValue) {
    switch json {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .string(let value): self = .text(value)
    default:
      if let bits = json["d"]?.string.flatMap({ UInt64($0, radix: 16) }) {
        self = .real(Double(bitPattern: bits))
      } else if let data = json["b"]?.string.flatMap({ Data(base64Encoded: $0) }) {
        self = .blob(Array(data))
      } else {
        return nil
      }
    }
  }
}
