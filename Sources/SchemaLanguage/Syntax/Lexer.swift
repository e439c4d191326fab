import Diagnostics

/// Splits UTF-8 bytes into tokens, one at a time, without copying any of them.
struct Lexer {
  /// A pointer, because an array makes reading a schema 12 % slower.
  let bytes: UnsafeBufferPointer<UInt8>
  private(set) var position: Int
  private(set) var comments: [Comment] = []
  /// Opening quotes and `/*` without an end.
  private(set) var unclosed: [Range<Int>] = []
  /// Spaces that the language does not have and invisible characters, between words. They are read as blanks.
  private(set) var odd: [Range<Int>] = []
  private let keepsTrivia: Bool

  init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int = 0, keepsTrivia: Bool = true) {
    self.bytes = bytes
    self.position = position
    self.keepsTrivia = keepsTrivia
  }

  mutating func next() -> Token {
    let startsLine = skipBlanksAndComments()
    let start = position
    let kind = scan()
    let keyword = kind == .word ? Keyword(bytes[start..<position]) : nil
    return Token(kind: kind, range: start..<position, startsLine: startsLine, keyword: keyword)
  }

  private mutating func scan() -> Token.Kind {
    guard position < bytes.count else { return .end }
    let byte = bytes[position]
    if byte.isWordByte { return word() }
    position += 1
    switch byte {
    case UInt8(ascii: "\""): return quoted()
    case UInt8(ascii: "("): return .leftParenthesis
    case UInt8(ascii: ")"): return .rightParenthesis
    case UInt8(ascii: "<"): return .leftAngle
    case UInt8(ascii: ">"): return .rightAngle
    case UInt8(ascii: ","): return .comma
    case UInt8(ascii: ";"): return .semicolon
    default: return .stray
    }
  }

  /// Includes hyphens and dots in a word, so that `my-field` is one mistake and not three.
  private mutating func word() -> Token.Kind {
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      if byte.isWordByte {
        if byte >= 0x80, OddCharacter(bytes, at: position).isBlank { break }
        position += 1
      } else if joinsWord(byte) {
        position += 2
      } else {
        break
      }
    }
    return .word
  }

  private func joinsWord(_ byte: UInt8) -> Bool {
    guard byte == UInt8(ascii: "-") || byte == UInt8(ascii: "."), position + 1 < bytes.count else {
      return false
    }
    return bytes[position + 1].isWordByte
  }

  /// A quoted name ends at the end of its line, so that a missing quote does not affect the rest of the file.
  private mutating func quoted() -> Token.Kind {
    let start = position - 1
    while position < bytes.count, !bytes[position].endsLine {
      position += 1
      if bytes[position - 1] == UInt8(ascii: "\"") { return .quoted }
    }
    return unclosedQuote(from: start)
  }

  /// Goes back to the end of the first word after the quote, which is probably the name.
  private mutating func unclosedQuote(from start: Int) -> Token.Kind {
    let end = position
    position = start + 1
    while position < end, bytes[position].isWordByte || bytes[position] == UInt8(ascii: ".") { position += 1 }
    unclosed.append(start..<position)
    return .quoted
  }

  // MARK: Trivia

  /// Returns whether the next token is the first of its line.
  private mutating func skipBlanksAndComments() -> Bool {
    var startsLine = position == 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        startsLine = true
        position += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"): position += 1
      case UInt8(ascii: "/"):
        guard skipSlashComment() else { return startsLine }
      case UInt8(ascii: "-"):
        guard follows(UInt8(ascii: "-")) else { return startsLine }
        skipLineComment()
      default:
        guard bytes[position] >= 0x80 else { return startsLine }
        let character = OddCharacter(bytes, at: position)
        guard character.isBlank || character.isInvisible else { return startsLine }
        odd.append(position..<position + character.length)
        position += character.length
      }
    }
    return startsLine
  }

  private mutating func skipSlashComment() -> Bool {
    if follows(UInt8(ascii: "/")) {
      skipLineComment()
      return true
    }
    guard follows(UInt8(ascii: "*")) else { return false }
    skipBlockComment()
    return true
  }

  private mutating func skipLineComment() {
    let start = position
    while position < bytes.count, !bytes[position].endsLine { position += 1 }
    keep(Comment(range: start..<position, isBlock: false))
  }

  /// Block comments do not nest (Documentation/reference/schema-language.md#comments).
  private mutating func skipBlockComment() {
    let start = position
    position += 2
    while position + 1 < bytes.count {
      if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
        position += 2
        return keep(Comment(range: start..<position, isBlock: true))
      }
      position += 1
    }
    position = bytes.count
    unclosed.append(start..<min(start + 2, bytes.count))
  }

  private mutating func keep(_ comment: Comment) { if keepsTrivia { comments.append(comment) } }

  private func follows(_ byte: UInt8) -> Bool { position + 1 < bytes.count && bytes[position + 1] == byte }
}

extension UInt8 {
  /// Letters, digits, `_`, `$` and every byte of a non-ASCII character.
  var isWordByte: Bool { isIdentifierByte || self == UInt8(ascii: "$") || self >= 0x80 }

  /// Whether a quoted name may contain the character. System names contain dots.
  var isQuotedNameByte: Bool { isIdentifierByte || self == UInt8(ascii: ".") }
}
