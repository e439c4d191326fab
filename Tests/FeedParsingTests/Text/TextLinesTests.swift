import Testing

@testable import FeedParsing

@Suite struct TextLinesTests {
  /// The text of pieces; `|` ends a block.
  private func text(_ pieces: String...) -> String {
    var lines = TextLines()
    for piece in pieces {
      if piece == "|" { lines.endBlock() } else { lines.add(piece) }
    }
    return lines.text
  }

  @Test("white space of any length is one space, and none is at the ends")
  func spaces() {
    #expect(text() == "" && text("") == "" && text(" ") == "" && text(" a ") == "a")
    #expect(
      text("a", "b") == "ab" && text("a ", " b") == "a b" && text("a \t\r\n b") == "a b"
        && text(" ", "a", " ") == "a")
    #expect(text("a\u{A0}b") == "a b" && text("a\u{A0}") == "a" && text("\u{A0}a\u{A0}\u{A0}b") == "a b")
  }

  @Test("a block ends a line, once, and none before the first text")
  func blocks() {
    #expect(text("|", "a", "|", "b", "|") == "a\nb" && text("a", "|", "|", "b") == "a\nb")
    #expect(text("a ", "|", " b") == "a\nb" && text("a", "|", " ", "|", "b") == "a\nb")
    #expect(text("a", "|", "b", "c d") == "a\nbc d")
  }

  @Test("control characters are dropped, and others of two bytes stay")
  func controls() {
    #expect(text("a\u{0}\u{8}\u{E}\u{1F}\u{7F}b") == "ab" && text("a\u{80}\u{9F}b") == "ab")
    #expect(text("\u{80}") == "" && text("a\u{9F}") == "a" && text("\u{85}a") == "a")
    #expect(text("¡©¿") == "¡©¿" && text("é\u{C0}") == "é\u{C0}" && text("日本") == "日本" && text("~!") == "~!")
    #expect(text("a\u{80} b") == "a b" && text("a\u{80}b c") == "ab c")
  }
}
