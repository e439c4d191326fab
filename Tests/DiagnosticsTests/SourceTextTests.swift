import Testing

@testable import Diagnostics

@Suite struct SourceTextTests {
  @Test("columns count characters, not bytes; lines end at LF, at CR, or at both")
  func locations() {
    let source = SourceText(name: "x", "aé\r\nb")
    #expect(source.location(at: 3) == SourceLocation(line: 1, column: 3, offset: 3))
    #expect(source.location(at: 5) == SourceLocation(line: 2, column: 1, offset: 5))
    #expect(source.text(in: source.lineRange(around: 2, reach: 9)) == "aé")
    #expect(source.text(in: source.lineRange(around: 4, reach: 9)) == "aé")
    #expect(source.text(in: source.lineRange(around: 6, reach: 9)) == "b")
  }

  @Test("of a long line only what is near is taken, and no character is cut")
  func reach() {
    let source = SourceText(name: "x", "ääääX€€€€\n")
    #expect(source.text(in: source.lineRange(around: 8, reach: 5)) == "ääX€")
    #expect(source.text(in: source.lineRange(around: 8, reach: 6)) == "äääX€")
  }

  @Test("bytes that are no character are shown where they stand")
  func stray() {
    let source = SourceText(name: "x", bytes: [0xB2, 0xB2, 0x41])
    #expect(source.lineRange(around: 0, reach: 9) == 0..<3)
    let text = TextRenderer().render([Diagnostic("X", .error, "m", at: source.range(0..<1))]).description
    #expect(text.contains("\u{FFFD}\u{FFFD}A\n   | ^\n"))
  }

  @Test("columns are right anywhere in a line of many blocks")
  func longLine() {
    let text = String(repeating: "aé€", count: 5000)
    let source = SourceText(name: "x", "\n" + text)
    for scalars in stride(from: 0, to: 15_000, by: 377) {
      let offset = 1 + text.unicodeScalars.prefix(scalars).reduce(0) { $0 + UTF8.width($1) }
      #expect(source.location(at: offset) == SourceLocation(line: 2, column: scalars + 1, offset: offset))
    }
  }

  @Test(
    "thousands of findings in one line of megabytes are placed and shown in no time", .timeLimit(.minutes(5)))
  func manyFindings() {
    let source = SourceText(name: "x", String(repeating: "é", count: 2_000_000))
    let findings = (0..<5000).map {
      Diagnostic("X", .error, "\($0)", at: source.range($0 * 800..<$0 * 800 + 2))
    }
    #expect(TextRenderer().render(findings).description.contains("x:1:1999601: error"))
  }

  @Test("an offset past the end stands at the end")
  func pastEnd() {
    #expect(SourceText(name: "x", "ab\n").location(at: 99) == SourceLocation(line: 2, column: 1, offset: 3))
    #expect(SourceText(name: "x", "").location(at: 0) == SourceLocation(line: 1, column: 1, offset: 0))
  }
}

@Suite struct UTF8CharacterTests {
  @Test(
    "a whole character has its length, at the end of the bytes and before other characters",
    arguments: [
      ("\u{0}", 1), ("\u{7F}", 1), ("\u{80}", 2), ("\u{7FF}", 2), ("\u{800}", 3), ("\u{FFF}", 3),
      ("\u{1000}", 3),
      ("\u{CFFF}", 3), ("\u{D000}", 3), ("\u{D7FF}", 3), ("\u{E000}", 3), ("\u{FFFF}", 3), ("\u{10000}", 4),
      ("\u{3FFFF}", 4), ("\u{40000}", 4), ("\u{FFFFF}", 4), ("\u{100000}", 4), ("\u{10FFFF}", 4),
    ])
  func whole(_ text: String, _ count: Int) {
    #expect(length(of: Array(text.utf8)) == count)
    #expect(length(of: Array("a\(text)".utf8), at: 1) == count)
    #expect(length(of: Array("é\(text)é".utf8), at: 2) == count)
    #expect(length(of: Array("\(text)a".utf8)) == count)
  }

  @Test(
    "what is cut off, overlong, a surrogate or beyond Unicode has none",
    arguments: [
      [0x80], [0xC3], [0xE2, 0x82], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
      [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82, 0x41],
    ] as [[UInt8]])
  func broken(_ bytes: [UInt8]) {
    #expect(length(of: bytes) == 0)
  }

  private func length(of bytes: [UInt8], at index: Int = 0) -> Int {
    bytes.withUnsafeBufferPointer { UTF8Character.length(in: $0, at: index) }
  }
}
