import CustomDump
import Testing

@testable import SchemaLanguage

@Suite("Lexer") struct LexerTests {
  /// The tokens of a text without its end, `^` before the first of a line, and then what was tolerated, unclosed or a
  /// comment.
  private func read(_ text: String, keepsTrivia: Bool = true) -> [String] {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
      var lexer = Lexer(bytes, keepsTrivia: keepsTrivia)
      var found: [String] = []
      while true {
        let token = lexer.next()
        if token.kind == .end { break }
        found.append("\(token.startsLine ? "^" : "")\(token.kind) \(text(token.range))")
      }
      return found + lexer.oddities.map { "\($0.kind): \(text($0.range))" }
        + lexer.unclosed.map { "unclosed: \(text($0))" }
        + lexer.comments.map { "\($0.isBlock ? "block" : "line"): \(text($0.range))" }
    }
  }

  @Test("each mark of the language is a token, and any other character is a stray one")
  func marks() {
    expectNoDifference(
      read("a<b>(c),;\n=x"),
      [
        "^word a", "leftAngle <", "word b", "rightAngle >", "leftParenthesis (", "word c",
        "rightParenthesis )",
        "comma ,", "semicolon ;", "^stray =", "word x",
      ])
    expectNoDifference(read("a\u{7F}{"), ["^word a", "stray \u{7F}", "stray {"])
    expectNoDifference(read(""), [])
    expectNoDifference(read(" \t\r\n"), [])
  }

  @Test(
    "a hyphen or a dot joins two parts of a word and ends none",
    arguments: [
      ("my-field", ["^word my-field"]), ("a.b.c", ["^word a.b.c"]), ("a-", ["^word a", "stray -"]),
      ("a.", ["^word a", "stray ."]), ("a- b", ["^word a", "stray -", "word b"]),
      ("a.,b", ["^word a", "stray .", "comma ,", "word b"]), (".a", ["^stray .", "word a"]),
      ("-a", ["^stray -", "word a"]), ("a$_9", ["^word a$_9"]), ("é-ß", ["^word é-ß"]),
      ("a-.b", ["^word a", "stray -", "stray .", "word b"]),
    ])
  func words(_ text: String, _ expected: [String]) { expectNoDifference(read(text), expected) }

  @Test(
    "comments end with their line or their mark, and do not nest",
    arguments: [
      ("a // b\nc", ["^word a", "^word c", "line: // b"]),
      ("a -- b\nc", ["^word a", "^word c", "line: -- b"]),
      ("a--b", ["^word a", "line: --b"]), ("//\r\na", ["^word a", "line: //"]), ("//", ["line: //"]),
      ("// a\r", ["line: // a"]), ("a // b\rc", ["^word a", "^word c", "line: // b"]),
      ("a -- b\rc", ["^word a", "^word c", "line: -- b"]), ("//\r\ra", ["^word a", "line: //"]),
      ("a / b", ["^word a", "stray /", "word b"]), ("/", ["^stray /"]),
      ("-", ["^stray -"]), ("/**/a", ["^word a", "block: /**/"]),
      ("/* /* */ b", ["^word b", "block: /* /* */"]),
      ("a /* \n */ b", ["^word a", "word b", "block: /* \n */"]),
      ("/*/ a", ["unclosed: /*"]), ("/*", ["unclosed: /*"]), ("a /* b *", ["^word a", "unclosed: /*"]),
      ("/* a */", ["block: /* a */"]), ("*/", ["^stray *", "stray /"]),
    ])
  func comments(_ text: String, _ expected: [String]) { expectNoDifference(read(text), expected) }

  @Test(
    "a quoted name ends with its quote, or with the first word of its line",
    arguments: [
      (#""a b", c"#, [#"^quoted "a b""#, "comma ,", "word c"]), (#""""#, [#"^quoted """#]),
      (#""a.b c"#, [#"^quoted "a.b"#, "word c", #"unclosed: "a.b"#]),
      ("\"a\n\"b\"", [#"^quoted "a"#, #"^quoted "b""#, #"unclosed: "a"#]),
      ("\"a\r\nb", [#"^quoted "a"#, "^word b", #"unclosed: "a"#]), (#"""#, [#"^quoted ""#, #"unclosed: ""#]),
      (#""a"#, [#"^quoted "a"#, #"unclosed: "a"#]),
      // A backslash before a quote belongs to the name if the line has another quote.
      (#""a\"b" c"#, [#"^quoted "a\"b""#, "word c"]), (#""a\" c"#, [#"^quoted "a\""#, "word c"]),
      ("\"a\\\" c\r\"", [#"^quoted "a\""#, "word c", #"^quoted ""#, #"unclosed: ""#]),
      ("\"a\\\" c\n\"", [#"^quoted "a\""#, "word c", #"^quoted ""#, #"unclosed: ""#]),
      (#""a\b""#, [#"^quoted "a\b""#]), (#""a\""#, [#"^quoted "a\""#]), (#""a\"""#, [#"^quoted "a\"""#]),
    ])
  func quotes(_ text: String, _ expected: [String]) { expectNoDifference(read(text), expected) }

  @Test(
    "of a merge conflict the upper side is read",
    arguments: [
      (
        "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\nc",
        ["^word a", "^word c", "conflict: <<<<<<< ours"]
      ),
      (
        "<<<<<<<\na\n|||||||\nb\n=======\nc\n>>>>>>>\nd", ["^word a", "^word d", "conflict: <<<<<<<"]
      ),
      ("a\n=======", ["^word a"]), ("a\n=======\nb", ["^word a"]), ("a\n=======\n>>>>>>\nb", ["^word a"]),
      ("a\n>>>>>>>", ["^word a"]), ("a\n>>>>>>> b\nc", ["^word a", "^word c"]),
      ("<<<<<<<", ["conflict: <<<<<<<"]),
      ("<<<<<<<\ra\r=======\rb\r>>>>>>>\rc", ["^word a", "^word c", "conflict: <<<<<<<"]),
      ("<<<<<<<\r\na\r\n=======\r\nb\r\n>>>>>>>\r\nc", ["^word a", "^word c", "conflict: <<<<<<<"]),
      // Six marks, or marks within a line, are no conflict.
      ("<<", ["^leftAngle <", "leftAngle <"]),
      ("======\n", ["^stray =", "stray =", "stray =", "stray =", "stray =", "stray ="]),
      ("a =======", ["^word a"] + Array(repeating: "stray =", count: 7)),
      (" |||||||", ["^stray |"] + Array(repeating: "stray |", count: 6)),
    ])
  func conflicts(_ text: String, _ expected: [String]) { expectNoDifference(read(text), expected) }

  @Test(
    "spaces and marks that are not ASCII are read as what they look like",
    arguments: [
      ("a\u{A0}b", ["^word a", "word b", "blank: \u{A0}"]), ("\u{FEFF}a", ["^word a", "blank: \u{FEFF}"]),
      ("a\u{200B} b", ["^word a", "word b", "blank: \u{200B}"]),
      ("a\u{200B}", ["^word a", "blank: \u{200B}"]),
      ("a\u{200B}b", ["^word a\u{200B}b"]),
      (
        "a\u{FF0C}b\u{FF1B}",
        ["^word a", "comma \u{FF0C}", "word b", "semicolon \u{FF1B}", "mark: \u{FF0C}", "mark: \u{FF1B}"]
      ),
      (
        "\u{FF08}\u{FF09}",
        ["^leftParenthesis \u{FF08}", "rightParenthesis \u{FF09}", "mark: \u{FF08}", "mark: \u{FF09}"]
      ),
      ("\u{FF0A}", ["^word \u{FF0A}"]), ("# a\nb", ["^word b", "hashComment: # a"]),
    ])
  func lookalikes(_ text: String, _ expected: [String]) { expectNoDifference(read(text), expected) }

  @Test("a reader that looks ahead keeps no comments and nothing else that it skips")
  func ahead() {
    expectNoDifference(
      read("/* a */ # b\nc\u{FF0C}\u{A0}// d", keepsTrivia: false), ["^word c", "comma \u{FF0C}"])
  }

  @Test("only certain bytes continue a word or a name")
  func bytes() {
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    let name = letters.union("0123456789_".utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(byte.isNameStart == letters.contains(byte), "\(byte)")
      #expect(byte.isNameByte == name.contains(byte), "\(byte)")
      #expect(byte.isQuotedNameByte == name.union(".".utf8).contains(byte), "\(byte)")
      #expect(byte.isWordByte == (name.union("$".utf8).contains(byte) || byte > 0x7F), "\(byte)")
    }
  }
}

@Suite("Characters that look like others") struct LookalikeCharacterTests {
  @Test(
    "a character is named by its code and its name, and by the one that it looks like",
    arguments: [
      (0xA0, "U+00A0 (no-break space)", true, false, ""), (0x2003, "U+2003 (em space)", true, false, ""),
      (0x20, "U+0020 (space)", false, false, ""), (0x85, "U+0085", true, false, ""),
      (0x80, "U+0080", false, false, ""),
      (0x200B, "U+200B (zero width space)", false, true, ""), (0xFF00, "U+FF00", false, false, ""),
      (0xFF01, "U+FF01 (fullwidth exclamation mark)", false, false, "!"),
      (0xFF5E, "U+FF5E (fullwidth tilde)", false, false, "~"),
      (0xFF5F, "U+FF5F (fullwidth left white parenthesis)", false, false, ""),
      (0x1F600, "U+1F600 (grinning face)", false, false, ""), (0x9, "U+0009", false, false, ""),
    ] as [(UInt32, String, Bool, Bool, String)])
  func character(
    _ value: UInt32, _ description: String, _ isBlank: Bool, _ isInvisible: Bool, _ halfWidth: String
  )
    throws
  {
    let character = LookalikeCharacter(try #require(Unicode.Scalar(value)))
    #expect(character.description == description)
    #expect(character.isBlank == isBlank)
    #expect(character.isInvisible == isInvisible)
    #expect(character.halfWidth == halfWidth)
  }
}
