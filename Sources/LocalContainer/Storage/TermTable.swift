internal import CloudKitModel
internal import GRDB
internal import SchemaLanguage

/// The elements of a QUERYABLE list and the words of a SEARCHABLE text, each with the records that have it.
struct TermTable {
  private let column: Column

  /// `nil` when the field's indexes need none.
  init?(_ column: Column) {
    self.column = column
    guard holdsElements || holdsWords else { return nil }
  }

  private var isList: Bool { if case .list = column.type { true } else { false } }
  private var holdsElements: Bool { isList && column.field.indexes.contains(.queryable) }
  private var holdsWords: Bool {
    column.field.indexes.contains(.searchable) && column.type.element == .string
  }

  /// Elements and words are apart by kind: `e` and `w`.
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
      terms += elements.flatMap { Words.of($0.string ?? "") }.map { (.word, .text($0)) }
    }
    return terms
  }
}

/// The words of a text for tokenised search: runs of letters and digits, in lower case. The service's own
/// division is not documented (Documentation/reference/web-services.md#comparators-and-indexes).
enum Words {
  static func of(_ text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber) }.map { $0.lowercased() }
  }
}
