/// The pieces of a canonical line.
enum CanonicalText {
  static func role(_ name: String) -> String { "CREATE ROLE \(quoted(name));" }

  static func opening(_ name: String) -> String { "RECORD TYPE \(quoted(name)) (" }

  /// The width of the column of names: that of the longest, quotes included.
  static func columnWidth(_ fields: [Field]) -> Int {
    fields.reduce(0) { max($0, $1.name.utf8.count + (needsQuotes($1.name) ? 2 : 0)) }
  }

  static func field(_ field: Field, width: Int) -> String {
    var text = quoted(field.name)
    text.append(String(repeating: " ", count: max(0, width - text.utf8.count) + 1))
    text.append(field.type.description)
    for index in field.indexes {
      text.append(" ")
      text.append(index.rawValue)
    }
    return text
  }

  static func grant(_ grant: Grant) -> String {
    let privileges = grant.privileges.map(\.rawValue)
    return "GRANT \(privileges.joined(separator: ", ")) TO \(quoted(grant.role))"
  }

  /// Quotes only where the grammar needs them.
  static func quoted(_ name: String) -> String { needsQuotes(name) ? "\"\(name)\"" : name }

  private static func needsQuotes(_ name: String) -> Bool {
    guard let first = name.utf8.first, first.isNameStart else { return true }
    return !name.utf8.allSatisfy(\.isNameByte) || Keyword(name.utf8)?.isReserved == true
  }
}
