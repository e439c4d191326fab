internal import CloudKitModel
internal import Diagnostics
internal import Foundation  // sin, cos and asin: FoundationEssentials has them on no platform alike
internal import GRDB
internal import SchemaLanguage

struct SQLFragment {
  var sql: String
  var values: [SQLValue] = []
}

extension [SQLFragment] {
  /// The condition that holds where all of these do. In SQLite each AND is a level, and 1000 levels are the most: many
  /// conditions are halved.
  var conjunction: SQLFragment {
    guard count > 100 else {
      return SQLFragment(sql: map(\.sql).joined(separator: " AND "), values: flatMap(\.values))
    }
    let halves = [prefix(count / 2), dropFirst(count / 2)].map { Array($0).conjunction }
    return SQLFragment(sql: "(\(halves[0].sql)) AND (\(halves[1].sql))", values: halves.flatMap(\.values))
  }
}

/// Compiles checked filters into SQL conditions on `t` (the type's table) and `r` (the directory of records).
struct FilterCompiler {
  let db: Database
  let table: RecordTypeTable
  let behavior: ServerBehavior
  /// The index that the query follows; `nil` lets SQLite choose.
  var scan: IndexOrder?
  /// True from the second page on, when the page marker says where reading continues, not the filters.
  var isContinued = false

  func condition(_ filter: Filter) throws -> SQLFragment {
    switch filter.comparator {
    case .equals where behavior.equalsIgnoresCase && filter.value.string != nil:
      try compare(filter, "COLLATE NOCASE =")
    case .equals: try compare(filter, "=")
    case .notEquals: missing(try compare(filter, "<>"), filter)
    case .lessThan: try compare(filter, "<", .upper)
    case .lessThanOrEquals: try compare(filter, "<=", .upper)
    case .greaterThan: try compare(filter, ">", .lower)
    case .greaterThanOrEquals: try compare(filter, ">=", .lower)
    case .in: try membership(filter, "IN")
    case .notIn: missing(try membership(filter, "NOT IN"), filter)
    case .beginsWith: begins(filter, bound(filter, .lower), bound(filter, .upper))
    case .notBeginsWith: negation(begins(filter, operand(filter.field)), filter)
    case .near: near(filter)
    case .containsAllTokens, .containsAnyTokens: words(filter)
    case .listMemberBeginsWith: begins(filter, firstElement(filter.field))
    case .notListMemberBeginsWith: negation(begins(filter, firstElement(filter.field)), filter)
    case .listContains, .listContainsAll: elements(filter, all: true)
    case .listContainsAny: elements(filter, all: false)
    case .notListContains, .notListContainsAll: negation(elements(filter, all: true), filter)
    case .notListContainsAny: negation(elements(filter, all: false), filter)
    }
  }

  // MARK: - Operands

  func operand(_ field: FieldName) -> String {
    switch field {
    case .user(let name): table[field: name].map { "t." + $0.sql } ?? "NULL"
    case .system(.recordName): "r.name"
    case .system(.createdTimestamp): "r.createdAt"
    case .system(.createdUserRecordName): "r.createdBy"
    case .system(.modifiedTimestamp): "r.modifiedAt"
    case .system(.modifiedUserRecordName): "r.modifiedBy"
    case .system(.etag): "r.tag"
    }
  }

  /// The stored form of a filter's value: users and change tags are stored as numbers.
  private func value(_ value: FieldValue, for field: FieldName) throws -> SQLValue {
    switch (field, value) {
    case (.system(.createdUserRecordName), .reference(let user)),
      (.system(.modifiedUserRecordName), .reference(let user)):
      .integer(try UserTable.id(of: user.recordName, db) ?? UserTable.unknownID)
    case (.system(.etag), .string(let tag)): .integer(ChangeTag.number(tag) ?? -1)
    default: StoredValue.encode(value)
    }
  }

  // MARK: - Scalars

  private func compare(_ filter: Filter, _ operation: String, _ side: Side? = nil) throws -> SQLFragment {
    SQLFragment(
      sql: "\(bound(filter, side)) \(operation) ?", values: [try value(filter.value, for: filter.field)])
  }

  private func membership(_ filter: Filter, _ operation: String) throws -> SQLFragment {
    let values = try members(filter)
    let operand = filter.comparator == .in ? bound(filter, .both) : operand(filter.field)
    // In SQLite, NULL NOT IN () is true; here a missing value does not match.
    if values.isEmpty, filter.comparator == .notIn { return SQLFragment(sql: "\(operand) IS NOT NULL") }
    return SQLFragment(sql: "\(operand) \(operation) (\(placeholders(values.count)))", values: values)
  }

  func members(_ filter: Filter) throws -> [SQLValue] {
    try (filter.value.elements ?? []).map { try value($0, for: filter.field) }
  }

  private func begins(_ filter: Filter, _ operand: String) -> SQLFragment { begins(filter, operand, operand) }

  private func begins(_ filter: Filter, _ lower: String, _ upper: String) -> SQLFragment {
    let prefix = filter.value.string ?? ""
    guard let end = prefix.prefixEnd else {
      return SQLFragment(sql: "\(lower) >= ?", values: [.text(prefix)])
    }
    return SQLFragment(sql: "\(lower) >= ? AND \(upper) < ?", values: [.text(prefix), .text(end)])
  }

  // MARK: - Bounds

  private enum Side { case lower, upper, both }

  /// The operand of a condition, with a `+` in front where SQLite must not use its index.
  private func bound(_ filter: Filter, _ side: Side?) -> String {
    let operand = operand(filter.field)
    guard let scan else { return operand }
    let isPassed =
      isContinued && filter.field == scan.field
      && (side == .both || side == (scan.ascending ? .lower : .upper))
    return isPassed || scan.forbidsIndex(of: filter) ? "+" + operand : operand
  }

  private func near(_ filter: Filter) -> SQLFragment {
    guard case .location(let center) = filter.value else { return SQLFragment(sql: "0") }
    let distance = EarthDistance.sql(distanceOf: operand(filter.field), to: center)
    return SQLFragment(sql: "\(distance) <= ?", values: [.real(filter.distance ?? 0)])
  }

  // MARK: - Lists and words

  private func elements(_ filter: Filter, all: Bool) -> SQLFragment {
    let elements = (filter.value.elements ?? [filter.value]).map(StoredValue.encode)
    return terms(.element, elements, of: filter.field, all: all)
  }

  private func words(_ filter: Filter) -> SQLFragment {
    let words = SearchWords.searchWords(filter.value.string ?? "").map(SQLValue.text)
    return terms(.word, words, of: filter.field, all: filter.comparator == .containsAllTokens)
  }

  private func terms(_ kind: SearchTermTable.Kind, _ values: [SQLValue], of field: FieldName, all: Bool)
    -> SQLFragment
  {
    guard table.isStored, case .user(let name) = field, let terms = table[field: name]?.termTable else {
      return SQLFragment(sql: "0")
    }
    // True for every record that has a value.
    guard !values.isEmpty else { return SQLFragment(sql: all ? "\(operand(field)) IS NOT NULL" : "0") }
    let select = "SELECT id FROM \(terms.sql) WHERE kind = '\(kind.rawValue)' AND term"
    guard all else {
      return SQLFragment(sql: "t._id IN (\(select) IN (\(placeholders(values.count))))", values: values)
    }
    let condition = values.map { SQLFragment(sql: "t._id IN (\(select) = ?)", values: [$0]) }.conjunction
    return SQLFragment(sql: "(\(condition.sql))", values: condition.values)
  }

  private func firstElement(_ field: FieldName) -> String { "json_extract(\(operand(field)), '$[0]')" }

  // MARK: - Negation

  private func negation(_ positive: SQLFragment, _ filter: Filter) -> SQLFragment {
    let present = "\(operand(filter.field)) IS NOT NULL"
    // An empty list has no first element: the positive condition is then neither true nor false.
    return missing(
      SQLFragment(sql: "\(present) AND (\(positive.sql)) IS NOT TRUE", values: positive.values), filter)
  }

  private func missing(_ condition: SQLFragment, _ filter: Filter) -> SQLFragment {
    guard behavior.negationFindsMissing else { return condition }
    return SQLFragment(
      sql: "(\(condition.sql) OR \(operand(filter.field)) IS NULL)", values: condition.values)
  }
}

func placeholders(_ count: Int) -> String { repeatElement("?", count: count).joined(separator: ", ") }

extension String {
  /// The smallest text, in byte order, that is greater than every text with this prefix; `nil` if no text is.
  var prefixEnd: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
      }
    }
    return nil
  }
}

enum EarthDistance {
  /// The Earth's mean radius in meters.
  private static let earthRadius = 6_371_008.8

  /// The haversine distance in meters.
  static func distance(_ a: (latitude: Double, longitude: Double), _ b: (latitude: Double, longitude: Double))
    -> Double
  {
    let radians = Double.pi / 180
    let latitudes = sin((b.latitude - a.latitude) * radians / 2)
    let longitudes = sin((b.longitude - a.longitude) * radians / 2)
    let chord =
      latitudes * latitudes + cos(a.latitude * radians) * cos(b.latitude * radians) * longitudes * longitudes
    return 2 * earthRadius * asin(min(1, chord.squareRoot()))
  }

  static func sql(distanceOf operand: String, to location: Location) -> String {
    "distance(\(operand), \(location.latitude), \(location.longitude))"
  }

  /// `distance(location, latitude, longitude)`: NULL when there is no location.
  static let function = DatabaseFunction("distance", argumentCount: 3, pure: true) { values in
    guard let text = String.fromDatabaseValue(values[0]), let latitude = Double.fromDatabaseValue(values[1]),
      let longitude = Double.fromDatabaseValue(values[2]), let json = try? JSONValue(parsing: text),
      let from = json["latitude"]?.number, let to = json["longitude"]?.number
    else { return nil }
    return distance((from, to), (latitude, longitude))
  }
}
