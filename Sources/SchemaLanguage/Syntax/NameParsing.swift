import Diagnostics

extension Parser {
  private static let namesHelp = "names are letters, digits and '_', and begin with a letter"

  typealias Name = (text: String, range: Range<Int>)

  /// A name, quoted or not. A name without its quotes or with an invalid character is reported and accepted, so
  /// that the rest can be parsed. `what` is the word for it in messages.
  mutating func parseName(_ what: String) -> Name? {
    switch token.kind {
    case .quoted: return quotedName()
    case .word: return plainName(what)
    case .stray where isForeignQuote: return foreignQuotedName(what)
    default:
      error(.unexpected, "expected \(what), found \(found)", at: token.range, help: Self.namesHelp)
      return nil
    }
  }

  /// Whether a name can be read here, even one in the wrong quotes.
  var startsName: Bool { token.kind == .word || token.kind == .quoted || isForeignQuote }

  /// `'_icloud'` or `` `title` ``
  private var isForeignQuote: Bool {
    guard token.kind == .stray else { return false }
    let mark = bytes[token.range.lowerBound]
    return (mark == UInt8(ascii: "'") || mark == UInt8(ascii: "`")) && peek().kind == .word
  }

  private mutating func foreignQuotedName(_ what: String) -> Name? {
    let mark = bytes[token.range.lowerBound]
    let start = token.range.lowerBound
    advance()
    let name = token.range
    advance()
    if token.kind == .stray, bytes[token.range.lowerBound] == mark { advance() }
    let range = start..<previousEnd
    // A name that needs no quotes gets none, as in an export.
    let wanted = isPlain(name) && Keyword(bytes[name])?.isReserved != true ? text(name) : "\"\(text(name))\""
    error(
      .needsQuotes, "\(what) is in the wrong quotes: \(shown(range))", at: range, help: "write \(wanted)",
      fix: (range, wanted))
    return (text(name), range)
  }

  private mutating func quotedName() -> Name {
    let range = token.range
    let isClosed = range.count > 1 && bytes[range.upperBound - 1] == UInt8(ascii: "\"")
    let inside = range.lowerBound + 1..<(isClosed ? range.upperBound - 1 : range.upperBound)
    checkCharacters(of: inside, token: range, isQuoted: true)
    advance()
    return (visible(inside), range)
  }

  private mutating func plainName(_ what: String) -> Name {
    let range = token.range
    if keyword?.isReserved != true, isPlain(range) {
      advance()
      return (text(range), range)
    }
    let name = bytes[range]
    if name.first == UInt8(ascii: "_"), let meant = nearestSystemName(to: text(range), what) {
      error(
        .badName, "'\(shown(range))' is not a name of the system", at: range, help: "write \"\(meant)\"",
        fix: (range, "\"\(meant)\""))
      advance()
      return (meant, range)
    } else if name.first == UInt8(ascii: "_") {
      reportMissingQuotes(range, "a name with a leading underscore belongs to the system and must be quoted")
    } else if keyword?.isReserved == true {
      reportMissingQuotes(range, "'\(shown(range))' is a reserved word: as a name it must be quoted")
    } else if name.contains(UInt8(ascii: ".")), name.allSatisfy({ $0.isNameByte || $0 == UInt8(ascii: ".") })
    {
      reportMissingQuotes(range, "a name with a dot must be quoted")
    } else {
      checkCharacters(of: range, token: range, isQuoted: false)
    }
    advance()
    return (visible(range), range)
  }

  /// The system field or role that a misspelled name probably means, so that the suggestion needs no second one.
  private func nearestSystemName(to name: String, _ what: String) -> String? {
    if what == "the field's name" {
      return SystemField(storedName: name) == nil ? SystemField.nearest(to: name)?.storedName : nil
    }
    guard what == "the role's name", !SystemNames.roles.contains(name), name.utf8.count <= 16 else {
      return nil
    }
    return SpellingSuggestion.nearest(to: name, among: SystemNames.roles.sorted())
  }

  /// `a-z A-Z` first, then also `0-9 _`: what nearly every name is.
  private func isPlain(_ name: Range<Int>) -> Bool {
    bytes[name.lowerBound].isNameStart && bytes[name].allSatisfy(\.isNameByte)
  }

  private mutating func reportMissingQuotes(_ range: Range<Int>, _ message: String) {
    let quoted = "\"\(text(range))\""
    error(.needsQuotes, message, at: range, help: "write \"\(shown(range))\"", fix: (range, quoted))
  }

  /// `a-z A-Z` first, then also `0-9 _`; in quotes also a leading underscore and dots.
  private mutating func checkCharacters(of name: Range<Int>, token: Range<Int>, isQuoted: Bool) {
    guard let first = bytes[name].first else {
      return error(.badName, "the name is empty", at: token)
    }
    let startsWell = first.isNameStart || (isQuoted && first == UInt8(ascii: "_"))
    let goesOnWell = bytes[name].allSatisfy { isQuoted ? $0.isQuotedNameByte : $0.isNameByte }
    guard !startsWell || !goesOnWell else { return }
    if let odd = firstOdd(in: name) {
      let column = source.location(at: odd.offset).column
      return error(
        .badName, "the name has \(odd.scalar.description) at column \(column)",
        at: odd.offset..<odd.offset + odd.scalar.length,
        help: "names are the letters A to Z and a to z, digits and '_'")
    }
    let problem =
      startsWell ? "contains a character that is not allowed in names" : "does not begin with a letter"
    error(
      .badName, "the name '\(shown(name))' \(problem)", at: token,
      help: Self.namesHelp)
  }

  /// The first character that is not ASCII, or a backslash: what a message cannot show as it is.
  private func firstOdd(in name: Range<Int>) -> (offset: Int, scalar: LookalikeCharacter)? {
    guard let offset = name.first(where: { bytes[$0] >= 0x80 || bytes[$0] == UInt8(ascii: "\\") }) else {
      return nil
    }
    return LookalikeCharacter(bytes, at: offset).map { (offset, $0) }
  }

  /// The name without invisible characters and curly quotes, to find the declaration that it means.
  private func visible(_ name: Range<Int>) -> String {
    let text = text(name)
    guard bytes[name].contains(where: { $0 >= 0x80 }) else { return text }
    let curly: ClosedRange<UInt32> = 0x2018...0x201F
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { !LookalikeCharacter($0).isInvisible && !curly.contains($0.value) }))
  }
}

extension Schema {
  /// Whether the language has this name, in quotes if need be. Every such name is ASCII.
  public static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first else { return false }
    return (first.isNameStart || first == UInt8(ascii: "_")) && name.utf8.allSatisfy(\.isQuotedNameByte)
  }

  /// Whether an app may give this name to a type or a field of its own: a letter, then letters, digits and `_`.
  public static func isPlainName(_ name: String) -> Bool {
    name.utf8.first?.isNameStart == true && name.utf8.allSatisfy(\.isNameByte)
  }
}

/// Words from SQL and other languages, with their equivalents in the schema language
/// (Documentation/reference/schema-language.md#common-mistakes).
enum SQLSynonyms {
  static let types: [String: String] = [
    "UUID": "STRING", "TEXT": "STRING", "VARCHAR": "STRING", "CHAR": "STRING", "URL": "STRING",
    "DATE": "TIMESTAMP", "DATETIME": "TIMESTAMP", "TIME": "TIMESTAMP",
    "BOOLEAN": "INT64", "BOOL": "INT64", "INT": "INT64", "INTEGER": "INT64", "INT32": "INT64",
    "INT16": "INT64", "LONG": "INT64", "BIGINT": "INT64",
    "FLOAT": "DOUBLE", "REAL": "DOUBLE", "DECIMAL": "DOUBLE", "NUMERIC": "DOUBLE",
    "DATA": "BYTES", "BLOB": "BYTES", "BINARY": "BYTES",
    "CLLOCATION": "LOCATION", "COORDINATE": "LOCATION", "GEOPOINT": "LOCATION",
    "CKASSET": "ASSET", "FILE": "ASSET", "CKREFERENCE": "REFERENCE", "REF": "REFERENCE",
  ]

  static let options: [String: String] = [
    "INDEXED": "QUERYABLE", "INDEX": "QUERYABLE", "FILTERABLE": "QUERYABLE", "ORDERABLE": "SORTABLE",
    "FULLTEXT": "SEARCHABLE",
  ]

  static let constraints: Set<String> = [
    "NOT", "NULL", "REQUIRED", "OPTIONAL", "UNIQUE", "DEFAULT", "PRIMARY", "KEY",
  ]

  static let privileges: [String: String] = [
    "UPDATE": "WRITE", "DELETE": "WRITE", "MODIFY": "WRITE", "SELECT": "READ", "INSERT": "CREATE",
  ]
}
