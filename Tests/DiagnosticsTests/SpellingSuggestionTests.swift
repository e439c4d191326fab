import Testing

@testable import Diagnostics

/// Which word is suggested for a mistyped one.
@Suite struct SpellingSuggestionTests {
  private let words = ["lint", "init", "STRING", "TIMESTAMP", "REFERENCE", "daring-fireball"]

  @Test(
    "a likely slip finds what was meant",
    arguments: [
      ("STRNG", "STRING"), ("string", "STRING"), ("TSRING", "STRING"), ("TIMESTMAP", "TIMESTAMP"),
      ("daring-firball", "daring-fireball"), ("lnit", "lint"),
    ])
  func near(word: String, meant: String) {
    #expect(SpellingSuggestion.nearest(to: word, among: words) == meant)
  }

  @Test("a different word finds nothing", arguments: ["UUID", "x", "boolean"])
  func far(word: String) {
    #expect(SpellingSuggestion.nearest(to: word, among: words) == nil)
  }
}
