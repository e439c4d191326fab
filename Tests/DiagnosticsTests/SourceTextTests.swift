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
    let source = SourceText(name: "x", String(repeating: "é", count: 400_000))
    let findings = (0..<1000).map {
      Diagnostic("X", .error, "\($0)", at: source.range($0 * 800..<$0 * 800 + 2))
    }
    #expect(TextRenderer().render(findings).description.contains("x:1:399601: error"))
  }

  @Test("an offset past the end stands at the end")
  func pastEnd() {
    #expect(SourceText(name: "x", "ab\n").location(at: 99) == SourceLocation(line: 2, column: 1, offset: 3))
    #expect(SourceText(name: "x", "").location(at: 0) == SourceLocation(line: 1, column: 1, offset: 0))
  }
}
