internal import CloudKitModel
internal import GRDB
internal import SchemaLanguage

struct SchemaTables: Sendable {
  let tables: EnvironmentTables
  let schema: Schema
  private let byName: [String: RecordTypeTable]
  private let byID: [Int64: RecordTypeTable]

  init(environment: Environment, roles: [Role], tables: [RecordTypeTable]) {
    self.tables = environment.tables
    schema = Schema(roles: roles, recordTypes: tables.map(\.type))
    byName = Dictionary(tables.map { ($0.type.name, $0) }) { first, _ in first }
    byID = Dictionary(tables.map { ($0.id, $0) }) { first, _ in first }
  }

  var environment: Environment { tables.environment }
  var typeTables: [RecordTypeTable] { byID.values.sorted { $0.id < $1.id } }

  subscript(recordType name: String) -> RecordTypeTable? { byName[name] }
  subscript(typeID id: Int64) -> RecordTypeTable? { byID[id] }
}

/// A record type with its SQLite table. Looked up for each record, so it is shared rather than copied.
final class RecordTypeTable: Sendable {
  let id: Int64
  let type: RecordType
  /// Not quoted.
  let tableName: String
  /// The fields that the schema declares, without system fields, in the type's order.
  let columns: [FieldColumn]
  /// Whether the table exists. Without it, the type has no records, and ``sql`` is a query without rows.
  let isStored: Bool
  let sql: String
  let insertSQL: String
  private let byField: [String: FieldColumn]

  init(id: Int64, type: RecordType, tableName: String, columns: [FieldColumn], isStored: Bool) {
    self.id = id
    self.type = type
    self.tableName = tableName
    self.columns = columns
    self.isStored = isStored
    let nothing = (["NULL AS _id"] + columns.map { "NULL AS \($0.sql)" }).joined(separator: ", ")
    sql = isStored ? tableName.quoted : "(SELECT \(nothing) WHERE 0)"
    insertSQL =
      "INSERT INTO \(tableName.quoted) (_id\(columns.map { ", \($0.sql)" }.joined())) "
      + "VALUES (\(placeholders(columns.count + 1)))"
    byField = Dictionary(columns.map { ($0.field.name, $0) }) { first, _ in first }
  }

  subscript(field name: String) -> FieldColumn? { byField[name] }
}

/// A field with its SQLite column. Looked up for each value, so it is shared rather than copied.
final class FieldColumn: Sendable {
  let field: Field
  let type: FieldType
  /// Not quoted.
  let name: String
  let sql: String
  let tableName: String

  init(_ field: Field, name: String, tableName: String) {
    self.field = field
    type = FieldType(field.type)
    self.name = name
    self.tableName = tableName
    sql = name.quoted
  }

  var indexName: String { "\(tableName).\(name).index".quoted }
  var termTable: SearchTermTable? { SearchTermTable(self) }

  /// Whether the column has an index. Lists do not: their elements are indexed in a ``SearchTermTable``.
  var hasColumnIndex: Bool { !isList && !field.indexes.isDisjoint(with: [.queryable, .sortable]) }

  var isList: Bool { if case .list = type { true } else { false } }

  var affinity: String {
    guard case .scalar(let scalar) = type else { return "TEXT" }
    return switch scalar {
    case .int64, .timestamp: "INTEGER"
    case .double: "REAL"
    case .bytes: "BLOB"
    case .string, .reference, .location, .asset: "TEXT"
    }
  }
}

extension SchemaTables {
  static func load(_ db: Database, _ environment: Environment) throws -> SchemaTables {
    let name = SQLValue.text(environment.rawValue)
    let roles = try db.rows("SELECT name FROM _role WHERE environment = ? ORDER BY rowid", [name]) {
      Role(try StoredNameCheck.checked($0.text(0), "a role"))
    }
    let fields = try fields(db, name)
    let grants = try grants(db, name)
    let present = Set(try db.rows("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.text(0) })
    var tables: [RecordTypeTable] = []
    try db.forEachRow("SELECT id, name, tableName FROM _type WHERE environment = ? ORDER BY id", [name]) {
      row in
      let id = row.integer(0)
      let typeName = try StoredNameCheck.checked(row.text(1), "a record type")
      let tableName = try StoredNameCheck.checked(
        row.text(2), "a table", of: environment.tables.tableName(of: typeName))
      let stored = fields[id] ?? []
      let type = RecordType(typeName, fields: stored.map(\.field), grants: grants[id] ?? [])
      let columns = stored.compactMap { stored in
        stored.columnName.map { FieldColumn(stored.field, name: $0, tableName: tableName) }
      }
      tables.append(
        RecordTypeTable(
          id: id, type: type, tableName: tableName, columns: columns, isStored: present.contains(tableName)))
    }
    return SchemaTables(environment: environment, roles: roles, tables: tables)
  }

  private typealias StoredField = (field: Field, columnName: String?)

  private static func fields(_ db: Database, _ environment: SQLValue) throws -> [Int64: [StoredField]] {
    var result: [Int64: [StoredField]] = [:]
    let sql = """
      SELECT type, f.name, dataType, indexes, columnName FROM _field f JOIN _type t ON t.id = f.type
      WHERE environment = ? ORDER BY f.rowid
      """
    try db.forEachRow(sql, [environment]) { row in
      guard let type = DataType.named[row.text(2)] else {
        throw StorageFailure.damaged("its schema has a field of the unknown type '\(row.text(2))'")
      }
      let indexes = EnumSet(row.text(3).split(separator: " ").compactMap { Index(rawValue: String($0)) })
      let name = try StoredNameCheck.checked(row.text(1), "a field")
      let column = row.isNull(4) ? nil : try StoredNameCheck.checked(row.text(4), "a column", of: name)
      result[row.integer(0), default: []].append((Field(name, type, indexes), column))
    }
    return result
  }

  private static func grants(_ db: Database, _ environment: SQLValue) throws -> [Int64: [Grant]] {
    var result: [Int64: [Grant]] = [:]
    let sql = """
      SELECT type, role, privileges FROM _grant g JOIN _type t ON t.id = g.type
      WHERE environment = ? ORDER BY g.rowid
      """
    try db.forEachRow(sql, [environment]) { row in
      let privileges = row.text(2).split(separator: " ").compactMap { Privilege(rawValue: String($0)) }
      let role = try StoredNameCheck.checked(row.text(1), "a role")
      result[row.integer(0), default: []].append(Grant(EnumSet(privileges), to: role))
    }
    return result
  }
}

extension DataType {
  static let named: [String: DataType] = {
    var primitives: [Primitive] = [
      .asset, .reference, .number(preferred: nil), .number(preferred: .int64), .number(preferred: .double),
    ]
    for type in Primitive.Encryptable.allCases { primitives += [.plain(type), .encrypted(type)] }
    let types = primitives.flatMap { [DataType.scalar($0), .list($0)] }
    return Dictionary(uniqueKeysWithValues: types.map { ($0.description, $0) })
  }()
}

/// Checks the names read from a container file, which may come from an untrusted source, because they become part
/// of SQL and of schema text.
private enum StoredNameCheck {
  /// The name, if the schema language allows it. Throws ``StorageFailure/damaged(_:)`` otherwise. The message leaves
  /// out the name, which may contain anything.
  static func checked(_ name: String, _ what: String) throws -> String {
    guard Schema.isName(name) else {
      throw StorageFailure.damaged("its schema has \(what) with an invalid name")
    }
    return name
  }

  /// The name of a table or a column, if `SchemaWriter` could have made it for `owner`: either the same name, or
  /// the name with a dot and a number that distinguishes it from one that differs only by case.
  static func checked(_ name: String, _ what: String, of owner: String) throws -> String {
    let isOwn = try checked(name, what).utf8.starts(with: owner.utf8)
    let rest = name.utf8.dropFirst(owner.utf8.count)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let isNumbered =
      rest.count > 1 && rest.first == UInt8(ascii: ".") && rest.dropFirst().allSatisfy(digits.contains)
    guard isOwn, rest.isEmpty || isNumbered else {
      throw StorageFailure.damaged("its schema has \(what) whose name does not match")
    }
    return name
  }
}

/// The table of a field's search terms: the elements of a QUERYABLE list and the words of SEARCHABLE text, each
/// with the records that contain it.
struct SearchTermTable {
  private let column: FieldColumn

  init?(_ column: FieldColumn) {
    self.column = column
    guard holdsElements || holdsWords else { return nil }
  }

  private var holdsElements: Bool { column.isList && column.field.indexes.contains(.queryable) }
  private var holdsWords: Bool {
    column.field.indexes.contains(.searchable) && column.type.element == .string
  }

  /// The quoted table name. Its column `kind` distinguishes elements (`e`) from words (`w`).
  var sql: String { "\(column.tableName).\(column.name).terms".quoted }

  func create(_ db: Database) throws {
    try db.define(
      """
      CREATE TABLE \(sql) (kind TEXT NOT NULL, term, id INTEGER NOT NULL, PRIMARY KEY (kind, term, id))
      WITHOUT ROWID
      """)
  }

  func drop(_ db: Database) throws { try db.define("DROP TABLE \(sql)") }

  func insert(_ db: Database, _ value: FieldValue?, id: Int64) throws {
    for (kind, term) in terms(of: value) {
      try db.run(
        "INSERT OR IGNORE INTO \(sql) VALUES (?, ?, ?)", [.text(kind.rawValue), term, .integer(id)])
    }
  }

  func remove(_ db: Database, _ value: FieldValue?, id: Int64) throws {
    for (kind, term) in terms(of: value) {
      try db.run(
        "DELETE FROM \(sql) WHERE kind = ? AND term = ? AND id = ?",
        [.text(kind.rawValue), term, .integer(id)])
    }
  }

  enum Kind: String { case element = "e", word = "w" }

  private func terms(of value: FieldValue?) -> [(Kind, SQLValue)] {
    guard let value else { return [] }
    let elements = value.elements ?? [value]
    var terms: [(Kind, SQLValue)] = []
    if holdsElements { terms += elements.map { (.element, StoredValue.encode($0)) } }
    if holdsWords {
      // A text repeats words, and each row is another statement.
      terms += Set(elements.flatMap { SearchWords.of($0.string ?? "") }).map { (.word, .text($0)) }
    }
    return terms
  }
}
