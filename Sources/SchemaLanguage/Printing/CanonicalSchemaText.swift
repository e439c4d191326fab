import Diagnostics

struct CanonicalSchemaText {
  var names = NameQuoting()

  func role(_ name: String) -> String { "CREATE ROLE \(names.spelled(name));" }

  func opening(_ name: String) -> String { "RECORD TYPE \(names.spelled(name)) (" }

  /// The width of the column of names: that of the longest, quotes included.
  func columnWidth(_ fields: [Field]) -> Int {
    fields.reduce(0) { max($0, $1.name.utf8.count + (names.needsQuotes($1.name) ? 2 : 0)) }
  }

  /// - Parameter type: what stands in place of the type.
  func field(_ field: Field, width: Int = 0, type: String? = nil) -> String {
    var text = names.spelled(field.name)
    text.append(String(repeating: " ", count: max(0, width - text.utf8.count) + 1))
    text.append(type ?? field.type.description)
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

/// Decides which names are written in quotes.
///
/// Names with a leading underscore or a dot, and the reserved words, need quotes. Other keywords may be names without
/// quotes, but only a few of them have been seen so in an export. The others keep the spelling of the formatted text,
/// and get quotes if there is no such text, so that formatting changes neither of the two spellings.
struct NameQuoting {
  /// Words of the grammar that the text has without quotes.
  private var bareWords: Set<String> = []

  /// - Parameter texts: those that become one.
  init(_ texts: [ParsedSchema] = []) {
    var quoted: Set<String> = []
    func note(_ name: String, _ range: Range<Int>) {
      guard Self.isUndecided(name) else { return }
      if range.count > name.utf8.count { quoted.insert(name) } else { bareWords.insert(name) }
    }
    for parsed in texts {
      for role in parsed.roles { note(role.name, role.nameRange) }
      for type in parsed.recordTypes {
        note(type.name, type.nameRange)
        for field in type.fields { note(field.name, field.nameRange) }
        for grant in type.grants { note(grant.grant.role, grant.roleRange) }
      }
    }
    bareWords.subtract(quoted)
  }

  func spelled(_ name: String) -> String { needsQuotes(name) ? "\"\(name)\"" : name }

  func needsQuotes(_ name: String) -> Bool {
    guard let first = name.utf8.first, first.isASCIILetter else { return true }
    if !name.utf8.allSatisfy(\.isIdentifierByte) || Keyword(name.utf8)?.isReserved == true { return true }
    return Self.isUndecided(name) && !bareWords.contains(name)
  }

  /// `from` is not in the published grammar. The one file that has it as a name has it in quotes.
  private static func isUndecided(_ name: String) -> Bool {
    if let keyword = Keyword(name.utf8) { return !keyword.isReserved && !keyword.isSeenBare }
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
