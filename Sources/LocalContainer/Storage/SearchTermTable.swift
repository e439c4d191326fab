internal import CloudKitModel
internal import GRDB
internal import SchemaLanguage

/// The table of a field's search terms: the elements of a QUERYABLE list and the words of SEARCHABLE text, each
/// with the records that contain it.
struct SearchTermTable {
  private let column: FieldColumn

  init?(_ column: FieldColumn) {
    self.column = column
    guard holdsElements || holdsWords else { return nil }
  }

  private var isList: Bool { if case .list = column.type { true } else { false } }
  private var holdsElements: Bool { isList && column.field.indexes.contains(.queryable) }
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

  /// What a row holds: an element of a list, or a word of a text.
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
