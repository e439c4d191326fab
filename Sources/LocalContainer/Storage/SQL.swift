internal import CloudKitModel
internal import Diagnostics
internal import GRDB
internal import GRDBSQLite

enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// The current row of a running statement; valid only until the next step. Reads from SQLite directly, because GRDB
/// cuts a text at its first NUL, and because a page of records is read column by column.
struct SQLRow {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }

  func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

  func text(_ column: Int) -> String {
    guard let start = sqlite3_column_text(statement, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The bytes of a text, valid only during the call; empty for NULL.
  func withText<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    let start = sqlite3_column_text(statement, Int32(column))
    return try body(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, Int32(column)))))
  }

  subscript(column: Int) -> SQLValue {
    switch sqlite3_column_type(statement, Int32(column)) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(statement, Int32(column)))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }

  private func blob(_ column: Int) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}

extension Database {
  /// Runs a statement to its end. Prepared statements are cached for each connection.
  func run(_ sql: String, _ values: [SQLValue] = []) throws {
    try forEachRow(sql, values) { _ in }
  }

  /// Runs one statement that creates or drops a table or an index. Throws if the text contains a second statement,
  /// which could come from a hostile name.
  func define(_ sql: String) throws { try makeStatement(sql: sql).execute() }

  /// Calls `body` for each row. `body` must not run the same statement.
  func forEachRow(_ sql: String, _ values: [SQLValue] = [], _ body: (SQLRow) throws -> Void) throws {
    let statement = try PreparedStatement(self, sql)
    try statement.bind(values)
    defer { statement.reset() }
    while try statement.step() { try body(statement.row) }
  }

  func rows<Value>(_ sql: String, _ values: [SQLValue] = [], _ read: (SQLRow) throws -> Value) throws
    -> [Value]
  {
    var rows: [Value] = []
    try forEachRow(sql, values) { rows.append(try read($0)) }
    return rows
  }

  func number(_ sql: String, _ values: [SQLValue] = []) throws -> Int64 {
    try first(sql, values) { $0.integer(0) } ?? 0
  }

  func has(_ sql: String, _ values: [SQLValue] = []) throws -> Bool {
    try first(sql, values) { _ in true } ?? false
  }

  func first<Value>(_ sql: String, _ values: [SQLValue] = [], _ read: (SQLRow) throws -> Value) throws
    -> Value?
  {
    let statement = try PreparedStatement(self, sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? try read(statement.row) : nil
  }
}

struct PreparedStatement {
  private let base: Statement
  private let pointer: OpaquePointer
  private let connection: OpaquePointer?

  init(_ db: Database, _ sql: String) throws {
    base = try db.cachedStatement(sql: sql)
    pointer = base.sqliteStatement
    connection = db.sqliteConnection
  }

  var row: SQLRow { SQLRow(statement: pointer) }

  func bind(_ values: [SQLValue]) throws {
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  /// Sets the placeholder at `index`, which starts at 1.
  func bind(_ value: SQLValue, at index: Int) throws {
    let index = Int32(index)
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(pointer, index)
    case .integer(let value): code = sqlite3_bind_int64(pointer, index, value)
    case .real(let value): code = sqlite3_bind_double(pointer, index, value)
    case .text(""): code = sqlite3_bind_text(pointer, index, "", 0, Self.copied)
    case .text(var value):
      code = value.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text64(
            pointer, index, $0.baseAddress, UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let value):
      code =
        value.isEmpty
        ? sqlite3_bind_zeroblob(pointer, index, 0)
        : sqlite3_bind_blob64(pointer, index, value, UInt64(value.count), Self.copied)
    }
    guard code == SQLITE_OK else { throw failure(code) }
  }

  func step() throws -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  func reset() { sqlite3_reset(pointer) }

  /// Runs a statement without rows and resets it for the next values.
  func runOnce() throws {
    defer { reset() }
    _ = try step()
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: String(cString: sqlite3_errmsg(connection)), sql: base.sql)
  }

  /// SQLITE_TRANSIENT: SQLite copies the value before the call returns.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

extension String {
  /// The text as a quoted SQL identifier. Works on bytes, as SQLite does: Swift reads a quote and a following
  /// combining mark as one character, which is not equal to a quote.
  var quoted: String { between("\"") }

  var sqlText: String { between("'") }

  private func between(_ mark: String) -> String {
    guard let quote = mark.utf8.first, utf8.contains(quote) else { return mark + self + mark }
    let doubled = utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
    return mark + String(decoding: doubled, as: UTF8.self) + mark
  }
}

/// Converts field values to and from SQLite: simple values natively, all others as JSON text.
enum StoredValue {
  static func encode(_ value: FieldValue) -> SQLValue {
    switch value {
    case .string(let text): .text(text)
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .timestamp(let time): .integer(time.milliseconds)
    case .bytes(let bytes): .blob(bytes)
    case .reference(let reference): .text(reference.recordName)
    case .location, .asset: .text(element(value).text())
    case .list(_, let elements): .text(JSONValue.array(elements.map(element)).text())
    }
  }

  /// Encodes a list's element as JSON. A reference without an action is stored as its record name only, so that SQL
  /// can read it, and an asset without the receipt, which only its upload's client may see.
  private static func element(_ value: FieldValue) -> JSONValue {
    if case .reference(let reference) = value, reference.action == .none {
      return .string(reference.recordName)
    }
    if case .asset(var asset) = value {
      asset.receipt = nil
      return asset.json
    }
    return value.plainJSON
  }

  static func decode(_ stored: SQLValue, as type: FieldType) throws -> FieldValue? {
    if stored == .null { return nil }
    if let value = try decodePresent(stored, as: type) { return value }
    throw StorageFailure.damaged("the stored value of a \(type) field has another type")
  }

  private static func decodePresent(_ stored: SQLValue, as type: FieldType) throws -> FieldValue? {
    switch (type, stored) {
    case (.scalar(.string), .text(let text)): .string(text)
    case (.scalar(.int64), .integer(let number)): .int64(number)
    case (.scalar(.double), .real(let number)): .double(number)
    case (.scalar(.timestamp), .integer(let time)): .timestamp(Timestamp(milliseconds: time))
    case (.scalar(.bytes), .blob(let bytes)): .bytes(bytes)
    case (.scalar(.reference), .text(let name)): .reference(Reference(name))
    case (.scalar(.location), .text(let json)), (.scalar(.asset), .text(let json)):
      try FieldValue.reading(JSONValue(parsing: json), as: type)
    case (.list(let element), .text(let json)): try decodeList(JSONValue(parsing: json), of: element)
    default: nil
    }
  }

  private static func decodeList(_ json: JSONValue, of type: ScalarType) throws -> FieldValue? {
    guard let elements = json.array else { return nil }
    let values = try elements.map { element -> FieldValue in
      if type == .reference, let name = element.string { return .reference(Reference(name)) }
      return try FieldValue.reading(element, as: .scalar(type))
    }
    return .list(of: type, values)
  }
}
