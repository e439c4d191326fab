import Diagnostics

struct CanonicalSchemaText {
  func role(_ name: String) -> String { "CREATE ROLE \(spelled(name));" }

  func opening(_ name: String) -> String { "RECORD TYPE \(spelled(name)) (" }

  /// The width of the column of names: that of the longest, quotes included.
  func columnWidth(_ fields: [Field]) -> Int {
    fields.reduce(0) { max($0, $1.name.utf8.count + (needsQuotes($1.name) ? 2 : 0)) }
  }

  /// - Parameter type: what stands in place of the type.
  func field(_ field: Field, width: Int = 0, type: String? = nil) -> String {
    var text = spelled(field.name)
    text.append(String(repeating: " ", count: max(0, width - text.utf8.count) + 1))
    text.append(type ?? field.type.description)
    for index in field.indexes {
      text.append(" ")
      text.append(index.rawValue)
    }
    return text
  }

  func grant(_ grant: Grant) -> String {
    "GRANT \(grant.privileges.list) TO \(spelled(grant.role))"
  }
}

extension Field {
  /// The field as a schema declares it, perhaps with another text in place of its type.
  package func text(type: String? = nil) -> String { CanonicalSchemaText().field(self, type: type) }
}

extension RecordType {
  /// The type as a schema declares it, in one line.
  ///
  /// - Parameter types: what stands in place of the types of some fields.
  package func declaration(types: [String: String]) -> String {
    let text = CanonicalSchemaText()
    let type = normalized
    let fields = type.fields.map { $0.text(type: types[$0.name]) }
    return "\(text.opening(name))\((fields + type.grants.map(text.grant)).joined(separator: ", ")));"
  }
}

extension EnumSet<Privilege> {
  /// `READ, WRITE`
  var list: String { map(\.rawValue).joined(separator: ", ") }
}

extension CanonicalSchemaText {
  func spelled(_ name: String) -> String { needsQuotes(name) ? "\"\(name)\"" : name }

  /// Whether a name is written in quotes: one with a leading underscore or a dot, a reserved word, and a word of the grammar
  /// that no export has shown without quotes, because quotes change nothing
  /// (Documentation/reference/schema-language.md#names).
  private func needsQuotes(_ name: String) -> Bool {
    guard let first = name.utf8.first, first.isASCIILetter else { return true }
    if !name.utf8.allSatisfy(\.isIdentifierByte) { return true }
    if let keyword = Keyword(name.utf8) { return !keyword.isSeenBare }
    // It is not in the published grammar. The one file that has it as a name has it in quotes.
    return name.utf8.count == 4 && name.lowercased() == "from"
  }
}

extension Keyword {
  /// Whether an export has shown it as a name without quotes.
  fileprivate var isSeenBare: Bool {
    switch self {
    case .timestamp, .type, .asset, .location, .role: true
    default: false
    }
  }
}
