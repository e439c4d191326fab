internal import CloudKitModel
internal import Foundation
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
    for (kind, term) in terms(of: value) + formerTerms(of: value) {
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

extension TermTable {
  /// What version 0.1.0 stored for the words of a value: they kept their diacritics.
  private func formerTerms(of value: FieldValue?) -> [(Kind, SQLValue)] {
    guard holdsWords, let value else { return [] }
    return (value.elements ?? [value]).flatMap { Words.asWritten($0.string ?? "") }
      .map { (.word, .text($0.lowercased())) }
  }
}

/// The words of a text for tokenised search: runs of letters and digits, without case and diacritics
/// (Documentation/reference/web-services.md#comparators-and-indexes). How the service divides a text is not documented.
enum Words {
  /// Words that a search leaves out, as CKQuery's page lists them.
  private static let ignored: Set<String> = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will",
    "with",
  ]

  static func of(_ text: String) -> [String] { asWritten(text).map(folded) }

  /// Those of a search.
  static func wanted(_ text: String) -> [String] { of(text).filter { !ignored.contains($0) } }

  static func asWritten(_ text: String) -> [Substring] { text.split { !($0.isLetter || $0.isNumber) } }

  /// The same for composed and decomposed letters.
  private static func folded(_ word: Substring) -> String {
    String(word).folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }
}
