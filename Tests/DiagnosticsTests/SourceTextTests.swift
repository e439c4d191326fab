import Diagnostics
import Testing

@Suite struct SourceTextTests {
  @Test("columns count characters, not bytes; lines end at LF, with or without CR")
  func locations() {
    let source = SourceText(name: "x", "aé\r\nb")
    #expect(source.location(at: 3) == SourceLocation(line: 1, column: 3, offset: 3))
    #expect(source.location(at: 5) == SourceLocation(line: 2, column: 1, offset: 5))
    #expect(source.line(1) == "aé")
    #expect(source.line(2) == "b")
    #expect(source.line(3) == "")
  }

  @Test("an offset past the end stands at the end")
  func pastEnd() {
    #expect(SourceText(name: "x", "ab\n").location(at: 99) == SourceLocation(line: 2, column: 1, offset: 3))
    #expect(SourceText(name: "x", "").location(at: 0) == SourceLocation(line: 1, column: 1, offset: 0))
  }
}

@Suite struct SuggestionTests {
  private let words = ["STRING", "TIMESTAMP", "REFERENCE", "daring-fireball"]

  @Test(
    "a likely slip finds what was meant",
    arguments: [
      ("STRNG", "STRING"), ("string", "STRING"), ("TSRING", "STRING"), ("TIMESTMAP", "TIMESTAMP"),
      ("daring-firball", "daring-fireball"),
    ])
  func near(word: String, meant: String) {
    #expect(Suggestion.nearest(to: word, among: words) == meant)
  }

  @Test("a different word finds nothing", arguments: ["UUID", "x", "boolean"])
  func far(word: String) {
    #expect(Suggestion.nearest(to: word, among: words) == nil)
  }
}
