internal import CloudKitModel
internal import Records
internal import SchemaLanguage

struct RecordColumns: Equatable {
  /// The number of columns beside the title that are shown unless the reader chooses others.
  static let suggested = 6

  /// The field that says what a record is, which is the first column; `nil` for a type without text.
  let title: String?
  /// The other fields of the type, in the order of the columns.
  let available: [String]
  let shown: [String]

  /// - Parameters:
  ///   - asked: the fields that the reader chose; empty for a suggestion.
  ///   - records: the records of the page. A field without a value, or with one value in all of them, is not suggested.
  init(_ fields: [Field], asked: [String], records: [Record]) {
    // A field without a value says of no record what it is.
    let title = Self.title(of: fields).flatMap { field in
      records.isEmpty || records.contains { $0.fields[field] != nil } ? field : nil
    }
    let others = fields.filter { $0.name != title && !$0.name.hasPrefix("___") }
    let ranks = others.map { ($0.name, Self.rank(of: $0)) }
    let available = (0...3).flatMap { rank in ranks.filter { $0.1 == rank }.map(\.0) }
    let varied = available.filter { field in
      let values = Set(records.map { $0.fields[field] })
      return values != [nil] && (values.count > 1 || records.count == 1)
    }
    let chosen = asked.isEmpty ? Array(varied.prefix(Self.suggested)) : asked
    self.title = title
    self.available = available
    shown = available.filter(chosen.contains)
  }

  /// What the app queries comes first. Times come after other values, lists last, because they fill a cell.
  private static func rank(of field: Field) -> Int {
    switch FieldType(field.type) {
    case .list: 3
    case .scalar(.timestamp): 2
    case .scalar: field.indexes.isEmpty ? 1 : 0
    }
  }

  static func isNumber(_ field: Field) -> Bool {
    [.scalar(.int64), .scalar(.double)].contains(FieldType(field.type))
  }

  /// `title`, else `name`, else the first STRING.
  static func title(of fields: [Field]) -> String? {
    let texts = fields.filter { FieldType($0.type) == .scalar(.string) && !$0.name.hasPrefix("___") }
    return ["title", "name"].first { name in texts.contains { $0.name == name } } ?? texts.first?.name
  }

  /// What a record is called in its first column; `nil` when it has no such value.
  static func title(of record: Record, field: String?) -> String? {
    guard let field, let text = record.fields[field]?.string, !text.isEmpty else { return nil }
    return ConsoleParts.shortened(FieldValue.string(text).display)
  }
}
