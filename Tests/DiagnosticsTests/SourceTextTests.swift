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

  @Test(
    "lines and columns of every offset, also before the text and after it",
    arguments: [
      "", "a", "\n", "a\n", "a\nb", "\n\n", "\r", "\r\n", "a\r\nb\r\n\r\n", "é\n€x\n😀", "a\rb\r\rc\r", "\n\r",
      "\r\r\n",
      "1\n2\n3\n4\n5\n6\n7\n8\n9",
    ])
  func everyOffset(text: String) {
    let bytes = Array(text.utf8)
    let source = SourceText(name: "x", text)
    for offset in -1...bytes.count + 1 {
      let known = min(max(offset, 0), bytes.count)
      let before = bytes[..<known]
      func endsLine(_ index: Int) -> Bool {
        let isReturn = bytes[index] == UInt8(ascii: "\r")
        let isBeforeLineFeed = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
        return bytes[index] == UInt8(ascii: "\n") || isReturn && !isBeforeLineFeed
      }
      let line = before.indices.count(where: endsLine) + 1
      let start = before.indices.last(where: endsLine).map { $0 + 1 } ?? 0
      let column = bytes[start..<known].count { !(0x80...0xBF).contains($0) } + 1
      #expect(source.location(at: offset) == SourceLocation(line: line, column: column, offset: known))
      #expect(source.lineNumber(at: offset) == line)
      #expect(source.lineStart(line) == start)
      let rest = bytes[start...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      #expect(source.lineRange(around: offset, reach: 100) == start..<start + rest.count)
    }
    #expect(source.lineStart(0) == 0 && source.lineStart(-1) == 0)
    #expect(source.lineStart(99) == source.lineStart(source.lineNumber(at: bytes.count)))
  }

  @Test(
    "what is near has whole characters only, and nothing of the line's end",
    arguments: [
      // é 0, é 2, € 4, x 7, CR 8, LF 9, z 10.
      (4, 0, 4..<4), (4, 1, 4..<4), (4, 2, 2..<4), (4, 3, 2..<7), (4, 4, 0..<8), (7, 1, 7..<8), (9, 0, 8..<8),
      (9, 1, 8..<8), (9, 2, 7..<8), (9, 4, 7..<8), (10, 0, 10..<10), (10, 9, 10..<11), (99, 1, 10..<11),
      (-5, 1, 0..<0),
      (-5, 2, 0..<2),
    ])
  func near(offset: Int, reach: Int, range: Range<Int>) {
    #expect(SourceText(name: "x", "éé€x\r\nz").lineRange(around: offset, reach: reach) == range)
  }

  @Test("bytes that continue no character are left out before the place, and stay at it")
  func onlyContinuations() {
    let source = SourceText(name: "x", bytes: [UInt8](repeating: 0x80, count: 5))
    #expect(source.lineRange(around: 3, reach: 2) == 3..<5)
    #expect(source.lineRange(around: 3, reach: 1) == 3..<3)
    #expect(source.lineRange(around: 0, reach: 1) == 0..<0)
  }

  @Test(
    "columns are right at the ends of blocks of 4096 bytes", arguments: [4095, 4096, 4097, 8191, 8192, 8193])
  func blocks(count: Int) {
    // One byte and as many characters of two bytes as fit.
    let pairs = (count - 1) / 2
    let source = SourceText(name: "x", "a" + String(repeating: "é", count: pairs))
    #expect(source.location(at: count).column == 1 + pairs + 1)
    #expect(source.location(at: 4095).column == 2049)
  }

  @Test("places are ordered by their offset, and equal ranges have one name and one range")
  func order() {
    let source = SourceText(name: "x", "ab\nc")
    let places = [0, 2, 4].map { source.location(at: $0) }
    for (index, place) in places.enumerated() {
      for (other, otherPlace) in places.enumerated() { #expect((place < otherPlace) == (index < other)) }
    }
    let range = source.range(0..<2)
    #expect(range == SourceText(name: "x", "other").range(0..<2))
    #expect(range != source.range(0..<1) && range != SourceText(name: "y", "ab\nc").range(0..<2))
    #expect(Set([range, source.range(0..<2), source.range(1..<2)]).count == 2)
    #expect(source.text(in: 3..<9) == "c" && source.text(in: 9..<12) == "" && !source.isConfidential)
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
