/// Splits UTF-8 bytes into tokens, one at a time, without copying any of them.
struct Lexer {
  /// A pointer, because an array makes reading a schema 12 % slower.
  let bytes: UnsafeBufferPointer<UInt8>
  private(set) var position: Int
  /// The comments so far; empty if comments are not collected.
  private(set) var comments: [Comment] = []
  /// Opening quotes and `/*` without an end.
  private(set) var unclosed: [Range<Int>] = []
  /// Text that is not part of the language but was accepted with a finding.
  private(set) var oddities: [ToleratedSyntax] = []
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
    if byte >= 0x80, let scalar = LookalikeCharacter(bytes, at: position), let mark = scalar.mark {
      keep(.mark, position..<position + scalar.length)
      position += scalar.length
      return mark
    }
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
      if byte >= 0x80, endsWord() { break }
      if byte.isWordByte { position += 1 } else if joinsWord(byte) { position += 2 } else { break }
    }
    return .word
  }

  /// Whether the word ends here: before a non-ASCII space or punctuation mark, or an invisible character without a
  /// letter after it.
  private func endsWord() -> Bool {
    guard let scalar = LookalikeCharacter(bytes, at: position) else { return false }
    guard scalar.isInvisible else { return scalar.isBlank || scalar.mark != nil }
    let next = position + scalar.length
    return next == bytes.count || !bytes[next].isWordByte
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
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return .quoted
      case let byte where byte.endsLine: return unclosedQuote(from: start)
      case UInt8(ascii: "\\") where escapesQuote(): position += 2
      default: position += 1
      }
    }
    return unclosedQuote(from: start)
  }

  /// A `\"` before the closing quote. The language has no escapes; report such a name as one mistake.
  private func escapesQuote() -> Bool {
    guard follows(UInt8(ascii: "\"")) else { return false }
    let rest = bytes[(position + 2)...].prefix { !$0.endsLine }
    return rest.contains(UInt8(ascii: "\""))
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
      case UInt8(ascii: "#"): skipLine(.hashComment)
      case UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "|"):
        guard skipConflict() else { return startsLine }
      case 0x80...:
        guard skipOddBlank() else { return startsLine }
      default: return startsLine
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

  // MARK: Oddities

  /// Skips the markers of a merge conflict, and the lines after `=======`. The side above it is parsed.
  private mutating func skipConflict() -> Bool {
    guard position == 0 || bytes[position - 1].endsLine else { return false }
    let mark = bytes[position]
    guard position + 7 <= bytes.count, bytes[position..<position + 7].allSatisfy({ $0 == mark }) else {
      return false
    }
    switch mark {
    case UInt8(ascii: "<"): skipLine(.conflict)
    case UInt8(ascii: ">"): skipLine(nil)
    default:
      // Skip the common version and the other side.
      while position < bytes.count {
        let line = bytes[position...].prefix(7)
        skipLine(nil)
        if line.count == 7, line.allSatisfy({ $0 == UInt8(ascii: ">") }) { break }
        if position < bytes.count { position += 1 }
      }
    }
    return true
  }

  private mutating func skipLine(_ oddity: ToleratedSyntax.Kind?) {
    let start = position
    while position < bytes.count, !bytes[position].endsLine { position += 1 }
    if let oddity { keep(oddity, start..<position) }
  }

  /// A blank that is not ASCII, or an invisible character.
  private mutating func skipOddBlank() -> Bool {
    guard let scalar = LookalikeCharacter(bytes, at: position), scalar.isBlank || scalar.isInvisible else {
      return false
    }
    keep(.blank, position..<position + scalar.length)
    position += scalar.length
    return true
  }

  private mutating func keep(_ kind: ToleratedSyntax.Kind, _ range: Range<Int>) {
    if keepsTrivia { oddities.append(ToleratedSyntax(kind: kind, range: range)) }
  }

  private mutating func keep(_ comment: Comment) { if keepsTrivia { comments.append(comment) } }

  private func follows(_ byte: UInt8) -> Bool { position + 1 < bytes.count && bytes[position + 1] == byte }
}

extension UInt8 {
  /// Letters, digits, `_`, `$` and every byte of a non-ASCII character.
  var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
      true
    default: false
    }
  }

  /// A line feed or a carriage return, alone or the first of both: a line ends with either in some file.
  var endsLine: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

  /// `a-z A-Z`: what a name of the app's own begins with.
  var isNameStart: Bool {
    let lower = self | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
  }

  /// Whether the character can continue a name.
  var isNameByte: Bool {
    isNameStart || (self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")) || self == UInt8(ascii: "_")
  }

  /// Whether a quoted name may contain the character. System names contain dots.
  var isQuotedNameByte: Bool { isNameByte || self == UInt8(ascii: ".") }
}
