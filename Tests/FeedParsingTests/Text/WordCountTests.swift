import FeedParsing
import Testing

@Suite struct WordCountTests {
  @Test(
    "words are separated by white space and have a letter or digit; two characters without spaces are a word",
    arguments: [
      ("", 0), (" ", 0), ("a", 1), ("a b", 2), (" a  b ", 2), ("a\tb\nc", 3), ("a-b", 1), ("- a", 1),
      ("--", 0), ("-a", 1), ("5", 1),
      ("é", 1), ("é è", 2), ("a\u{A0}b", 2), ("aé", 1), ("éa", 1), ("«a»", 1), ("…", 0), ("日", 1), ("日本", 1),
      ("日本語", 2), ("日本語文", 2),
      ("日a", 2), ("a日", 2), ("a日b", 3), ("ひらがな", 2), ("½", 1), ("٣", 1), ("é日é", 3), ("a\u{1F}b", 2),
      ("a!b c", 2), ("한국 어", 2),
    ])
  func words(text: String, expected: Int) {
    #expect(WordCount.of(text) == expected)
  }

  @Test("a minute is 200 words, and the shortest time is a minute")
  func minutes() {
    for (words, expected) in [
      (0, 1), (1, 1), (199, 1), (200, 1), (399, 1), (400, 2), (599, 2), (600, 3), (20_000, 100),
    ] {
      #expect(WordCount.readingMinutes(words: words) == expected, "\(words)")
    }
  }
}
