import Testing

@testable import SchemaLanguage

@Suite("Patterns of names") struct NamePatternTests {
  @Test(
    "a pattern has stars for any letters and question marks for one",
    arguments: [
      ("", "", true), ("", "a", false), ("?", "", false), ("?", "a", true), ("?", "ab", false),
      ("**", "x", true), ("a*", "a", true),
      ("*a", "ba", true), ("*a", "ab", false), ("*ab*", "xaab", true), ("*?", "", false),
      ("a*b*c", "aXbYc", true),
      ("*abc", "ababc", true), ("*abc", "abab", false), ("a*", "ba", false), ("ab", "a", false),
      ("a?c*", "abcd", true), ("a**b", "ab", true),
      ("*b?", "abbc", true),
    ])
  func patterns(_ pattern: String, _ name: String, _ isMatch: Bool) {
    #expect(NamePattern(pattern).matches(name) == isMatch)
  }

  @Test(
    "a pattern is one that can match a name",
    arguments: [
      ("CD_*", true, true), ("A?", true, true), ("Note", true, false), ("a.b", true, false),
      ("", false, false), ("a b", false, false),
      ("a-*", false, true), ("é", false, false),
    ])
  func possible(_ pattern: String, _ isPossible: Bool, _ hasWildcard: Bool) {
    #expect(NamePattern(pattern).isPossible == isPossible)
    #expect(NamePattern(pattern).hasWildcard == hasWildcard)
  }
}
