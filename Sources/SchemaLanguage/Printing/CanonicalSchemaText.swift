/// The pieces of a canonical line.
struct CanonicalSchemaText {
  /// How the names of the text are spelled.
  var names = NameQuoting()

  func role(_ name: String) -> String { "CREATE ROLE \(names.spelled(name));" }

  func opening(_ name: String) -> String { "RECORD TYPE \(names.spelled(name)) (" }

  /// The width of the column of names: that of the longest, quotes included.
  func columnWidth(_ fields: [Field]) -> Int {
    fields.reduce(0) { max($0, $1.name.utf8.count + (names.needsQuotes($1.name) ? 2 : 0)) }
  }

  func field(_ field: Field, width: Int = 0) -> String {
    var text = names.spelled(field.name)
    text.append(String(repeating: " ", count: max(0, width - text.utf8.count) + 1))
    text.append(field.type.description)
    for index in field.indexes {
      text.append(" ")
      text.append(index.rawValue)
    }
    return text
  }

  func grant(_ grant: Grant) -> String {
    "GRANT \(grant.privileges.list) TO \(names.spelled(grant.role))"
  }
}

extension EnumSet<Privilege> {
  /// `READ, WRITE`
  var list: String { map(\.rawValue).joined(separator: ", ") }
}
