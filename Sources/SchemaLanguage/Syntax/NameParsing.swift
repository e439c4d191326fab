import Diagnostics

extension Parser {
  typealias Name = (text: String, range: Range<Int>)

  /// A name, quoted or not. A name without its quotes or with an invalid character is reported and accepted, so
  /// that the rest can be parsed. `what` is the word for it in messages.
  mutating func parseName(_ what: String, help: String = Schema.nameForm) throws(Skip) -> Name {
    let range = token.range
    switch token.kind {
    case .quoted:
      let isClosed = range.count > 1 && bytes[range.upperBound - 1] == UInt8(ascii: "\"")
      let inside = range.lowerBound + 1..<(isClosed ? range.upperBound - 1 : range.upperBound)
      checkCharacters(of: inside, isQuoted: true)
      advance()
      return (text(inside), range)
    case .word where !startsStatement && !(keyword == .grant && token.startsLine && isGrant):
      let isPlain = keyword?.isReserved != true && isPlain(range)
      if !isPlain { checkPlainName(range) }
      advance()
      // What is missing after a wrong name may be in it, as a comma of another width.
      if !isPlain { skip { _ in true } }
      return (text(range), range)
    default: throw missing(.unexpected, what, help: help)
    }
  }

  /// `a-z A-Z` first, then also `0-9 _`: what nearly every name is.
  private func isPlain(_ name: Range<Int>) -> Bool {
    bytes[name.lowerBound].isASCIILetter && bytes[name].allSatisfy(\.isIdentifierByte)
  }

  /// Reports what keeps the word at hand from being a name without quotes.
  private mutating func checkPlainName(_ range: Range<Int>) {
    let why: String
    if keyword?.isReserved == true {
      why = "'\(shown(range))' is a reserved word: as a name it must be quoted"
    } else if !bytes[range].allSatisfy(\.isQuotedNameByte) {
      return checkCharacters(of: range, isQuoted: false)
    } else if bytes[range.lowerBound] == UInt8(ascii: "_") {
      why = "a name with a leading underscore belongs to the system and must be quoted"
    } else if bytes[range.lowerBound].isASCIILetter {
      why = "a name with a dot must be quoted"
    } else {
      return checkCharacters(of: range, isQuoted: false)
    }
    error(
      .needsQuotes, why, at: range, help: "write \"\(shown(range))\"", fix: (range, "\"\(text(range))\""))
  }

  /// `a-z A-Z` first, then also `0-9 _`; in quotes also a leading underscore and dots.
  private mutating func checkCharacters(of name: Range<Int>, isQuoted: Bool) {
    guard let first = bytes[name].first else {
      error(.badName, "the name is empty", at: token.range)
      return
    }
    if let place = name.first(where: { bytes[$0] >= 0x80 }) {
      let odd = OddCharacter(bytes, at: place)
      error(
        .badName, message(about: odd, in: "name", at: place), at: place..<place + odd.length, help: odd.help)
    } else if !bytes[name].allSatisfy({ isQuoted ? $0.isQuotedNameByte : $0.isIdentifierByte }) {
      reportName(name, "contains a character that is not allowed in names")
    } else if !first.isASCIILetter, !(isQuoted && first == UInt8(ascii: "_")) {
      reportName(name, "does not begin with a letter")
    }
  }

  private mutating func reportName(_ name: Range<Int>, _ problem: String) {
    error(.badName, "the name '\(shown(name))' \(problem)", at: token.range, help: Schema.nameForm)
  }
}

extension Schema {
  /// Whether the language has this name, in quotes if need be. Every such name is ASCII.
  package static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first else { return false }
    return (first.isASCIILetter || first == UInt8(ascii: "_")) && name.utf8.allSatisfy(\.isQuotedNameByte)
  }

  /// What a name looks like that an app may give, for messages.
  package static let nameForm = "names are letters, digits and '_', and begin with a letter"

  /// Whether an app may give this name to a type or a field of its own: a letter, then letters, digits and `_`.
  package static func isPlainName(_ name: String) -> Bool {
    name.utf8.first?.isASCIILetter == true && name.utf8.allSatisfy(\.isIdentifierByte)
  }
}
