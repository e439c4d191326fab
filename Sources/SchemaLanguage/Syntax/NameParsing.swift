import Diagnostics

/// The words Apple reserves: as names they need quotes (schema-language.md section 1.2).
enum ReservedWord {
  static func contains(_ name: some Sequence<UInt8>) -> Bool {
    words.contains { $0.elementsEqual(name.lazy.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }) }
  }

  private static let words = ["grant", "preferred", "queryable", "sortable", "searchable"].map {
    Array($0.utf8)
  }
}

extension Parser {
  typealias Name = (text: String, range: Range<Int>)

  /// A name, quoted or not. A name that lacks its quotes or holds an impossible character is reported and
  /// taken all the same, so that what follows it is still read. `what` is how a message calls it.
  mutating func parseName(_ what: String) -> Name? {
    switch token.kind {
    case .quoted: return quotedName()
    case .word: return plainName(what)
    default:
      error(.unexpected, "expected \(what), found \(found)", at: token.range)
      return nil
    }
  }

  private mutating func quotedName() -> Name {
    let range = token.range
    let isClosed = range.count > 1 && bytes[range.upperBound - 1] == UInt8(ascii: "\"")
    let inside = range.lowerBound + 1..<(isClosed ? range.upperBound - 1 : range.upperBound)
    checkCharacters(of: inside, token: range, isQuoted: true)
    advance()
    return (text(inside), range)
  }

  private mutating func plainName(_ what: String) -> Name {
    let range = token.range
    let name = bytes[range]
    if bytes[range.lowerBound] == UInt8(ascii: "_") {
      reportMissingQuotes(range, "a name with a leading underscore belongs to the system and must be quoted")
    } else if ReservedWord.contains(name) {
      reportMissingQuotes(range, "'\(shown(range))' is a reserved word: as a name it must be quoted")
    } else if name.contains(UInt8(ascii: ".")), name.allSatisfy({ $0.isNameByte || $0 == UInt8(ascii: ".") })
    {
      reportMissingQuotes(range, "a name with a dot must be quoted")
    } else {
      checkCharacters(of: range, token: range, isQuoted: false)
    }
    advance()
    return (text(range), range)
  }

  private mutating func reportMissingQuotes(_ range: Range<Int>, _ message: String) {
    let quoted = "\"\(text(range))\""
    error(.needsQuotes, message, at: range, help: "write \(quoted)", fix: (range, quoted))
  }

  /// `a-z A-Z` first, then also `0-9 _`; in quotes also a leading underscore and dots.
  private mutating func checkCharacters(of name: Range<Int>, token: Range<Int>, isQuoted: Bool) {
    guard let first = bytes[name].first else {
      return error(.badName, "the name is empty", at: token)
    }
    let startsWell = first.isNameStart || (isQuoted && first == UInt8(ascii: "_"))
    let goesOnWell = bytes[name].allSatisfy { $0.isNameByte || (isQuoted && $0 == UInt8(ascii: ".")) }
    guard !startsWell || !goesOnWell else { return }
    let problem = startsWell ? "holds a character that names cannot have" : "does not begin with a letter"
    error(
      .badName, "the name '\(shown(name))' \(problem)", at: token,
      help: "names are letters, digits and '_', and begin with a letter")
  }
}
