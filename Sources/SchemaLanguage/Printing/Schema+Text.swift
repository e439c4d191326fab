import Diagnostics

extension Role {
  var text: String { "CREATE ROLE \(Schema.spelled(name));" }
}

extension Field {
  /// The field as a schema declares it.
  ///
  /// - Parameters:
  ///   - width: that of the column of names.
  ///   - type: what stands in place of the type.
  package func text(width: Int = 0, type: String? = nil) -> String {
    var text = Schema.spelled(name)
    text.append(String(repeating: " ", count: max(0, width - text.utf8.count) + 1))
    text.append(type ?? self.type.description)
    for index in indexes {
      text.append(" ")
      text.append(index.rawValue)
    }
    return text
  }
}

extension [Field] {
  /// The width of the column of names: that of the longest, quotes included.
  var columnWidth: Int {
    reduce(0) { Swift.max($0, $1.name.utf8.count + (Schema.needsQuotes($1.name) ? 2 : 0)) }
  }
}

extension Grant {
  var text: String { "GRANT \(privileges.list) TO \(Schema.spelled(role))" }
}

extension RecordType {
  var opening: String { "RECORD TYPE \(Schema.spelled(name)) (" }

  /// The type as a schema declares it, in one line.
  ///
  /// - Parameter types: what stands in place of the types of some fields.
  package func declaration(types: [String: String]) -> String {
    let type = normalized
    let members = type.fields.map { $0.text(type: types[$0.name]) } + type.grants.map(\.text)
    return "\(opening)\(members.joined(separator: ", ")));"
  }
}

extension EnumSet<Privilege> {
  /// `READ, WRITE`
  var list: String { map(\.rawValue).joined(separator: ", ") }
}

extension Schema {
  static func spelled(_ name: String) -> String { needsQuotes(name) ? "\"\(name)\"" : name }

  /// Whether a name is written in quotes: one with a leading underscore or a dot, a reserved word, and a word of the grammar
  /// that no export has shown without quotes, because quotes change nothing
  /// (Documentation/reference/schema-language.md#names).
  fileprivate static func needsQuotes(_ name: String) -> Bool {
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
