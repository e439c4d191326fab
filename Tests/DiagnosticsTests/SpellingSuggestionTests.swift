import Testing

@testable import Diagnostics

/// Which word is suggested for a mistyped one.
@Suite struct SpellingSuggestionTests {
  private let words = ["STRING", "TIMESTAMP", "REFERENCE", "daring-fireball"]

  @Test(
    "a likely slip finds what was meant",
    arguments: [
      ("STRNG", "STRING"), ("string", "STRING"), ("TSRING", "STRING"), ("TIMESTMAP", "TIMESTAMP"),
      ("daring-firball", "daring-fireball"),
    ])
  func near(word: String, meant: String) {
    #expect(SpellingSuggestion.nearest(to: word, among: words) == meant)
  }

  @Test("a different word finds nothing", arguments: ["UUID", "x", "boolean"])
  func far(word: String) {
    #expect(SpellingSuggestion.nearest(to: word, among: words) == nil)
  }

  @Test(
    "a candidate is suggested up to a third of the word's letters, or one letter of two",
    arguments: [
      ("ab", ["ac"], "ac"), ("ab", ["cd"], nil), ("ab", ["abc"], "abc"), ("ab", ["abcd"], nil),
      ("abcde", ["abcXY"], nil), ("abcdef", ["abcdXY"], "abcdXY"), ("abcdef", ["abcXYZ"], nil),
      ("xfeed", ["feed"], "feed"), ("abcdef", ["abcd"], "abcd"), ("abcdef", ["abc"], nil),
      ("abcdef", ["abcdefgh"], "abcdefgh"),
      ("", ["a"], nil), ("a", ["b"], nil), ("a", ["ab"], "ab"), ("ab", ["b"], "b"), ("a", ["A"], "A"),
      ("a", [], nil),
    ] as [(String, [String], String?)])
  func limit(word: String, candidates: [String], expected: String?) {
    #expect(SpellingSuggestion.nearest(to: word, among: candidates) == expected)
  }

  @Test("swapped neighbors are one difference, and case is none")
  func differences() {
    #expect(SpellingSuggestion.nearest(to: "ba", among: ["ab"]) == "ab")
    #expect(SpellingSuggestion.nearest(to: "xba", among: ["xab"]) == "xab")
    #expect(SpellingSuggestion.nearest(to: "abc", among: ["cba"]) == nil)
    #expect(SpellingSuggestion.nearest(to: "publicfeed", among: ["PublicFeed"]) == "PublicFeed")
  }

  @Test("the closest candidate wins; of equally close ones the first in the alphabet; never the word itself")
  func choice() {
    #expect(SpellingSuggestion.nearest(to: "abcdef", among: ["abcdXY", "abcdeX", "abXYef"]) == "abcdeX")
    #expect(SpellingSuggestion.nearest(to: "feed", among: ["feez", "feea", "feeb"]) == "feea")
    #expect(SpellingSuggestion.nearest(to: "feed", among: ["feed"]) == nil)
  }

  @Test("the question names the candidate")
  func question() {
    #expect(SpellingSuggestion.question("fed", among: ["feed"]) == "Did you mean 'feed'?")
    #expect(SpellingSuggestion.question("fed", among: ["category"]) == nil)
  }
}
