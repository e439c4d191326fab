import Testing

@testable import Curation

@Suite("Titles of publishers") struct TitleCleanerTests {
  @Test(
    "a title becomes one line of text without markup",
    arguments: [
      ("A title", "A title"), ("", ""), (" ", ""), (" A", "A"), ("A ", "A"), ("A  b", "A b"),
      ("A\n\tb", "A b"),
      ("~!", "~!"), ("a\u{7F}b", "ab"), ("a\u{1F}b", "ab"), ("a\u{0}", "a"), ("<b>A</b> &amp; b", "A & b"),
      ("A & B", "A & B"), ("1 < 2", "1 < 2"), ("<i>A</i><b>B</b>", "A B"), ("Cafe\u{301}", "Caf\u{E9}"),
      ("a\u{202A}b\u{202E}c", "abc"), ("a\u{2066}b\u{2069}c", "abc"), ("a\u{2029}b", "a b"),
      ("a\u{200B}b", "a\u{200B}b"),
      ("a\u{206A}b", "a\u{206A}b"), ("日本", "日本"),
    ])
  func plain(_ text: String, _ expected: String) { #expect(TitleCleaner.plain(text) == expected) }

  @Test(
    "the first title with a meaning is the best, and else the host",
    arguments: [
      ("Feed", "Page", "Page"), ("A", "Page", "A"), (nil, "Page", "Page"), ("RSS Feed", "Home", "a.example"),
      ("", nil, "a.example"),
      ("<b></b>", "B", "B"), (nil, nil, "a.example"),
    ] as [(String?, String?, String)])
  func best(_ feed: String?, _ page: String?, _ expected: String) {
    #expect(TitleCleaner.best(feed: feed, page: page, url: "https://www.a.example/feed") == expected)
  }

  @Test("a best title has up to 150 characters")
  func lengths() {
    func best(_ count: Int) -> String {
      TitleCleaner.best(feed: String(repeating: "a", count: count), page: nil, url: "")
    }
    #expect(best(150) == String(repeating: "a", count: 150))
    #expect(best(151) == String(repeating: "a", count: 149) + "…")
    #expect(TitleCleaner.best(feed: nil, page: nil, url: "no address") == "no address")
  }

  @Test(
    "a long text is cut after a word",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("abc defg", 6, "abc…"), ("abcde fg", 6, "abcde…"),
      ("abcd efg", 6, "abcd…"), ("ab cd ef", 6, "ab…"), ("ab c ef", 6, "ab c…"), ("日本語です", 4, "日本語…"),
    ])
  func shortened(_ text: String, _ length: Int, _ expected: String) {
    #expect(TitleCleaner.shortened(text, to: length) == expected)
  }

  @Test(
    "an address is encoded where it needs it",
    arguments: [
      ("https://a.example/b", "https://a.example/b"), (" https://a.example/b\n", "https://a.example/b"),
      ("https://a.example/b c", "https://a.example/b%20c"),
      ("https://a.example/<>", "https://a.example/%3C%3E"),
      ("https://a.example/\"\\^`{|}", "https://a.example/%22%5C%5E%60%7B%7C%7D"),
      ("https://a.example/\u{1}\u{7F}", "https://a.example/%01%7F"),
      ("https://a.example/!~", "https://a.example/!~"),
      ("no address é", "no%20address%20%C3%A9"), ("plain", "plain"), ("\u{9}\u{10}", "%10"),
    ])
  func encoded(_ text: String, _ expected: String) {
    #expect(URLNormalizer.encoded(text).uppercased() == expected.uppercased())
  }

  @Test("only an address that the catalog takes is one")
  func addresses() {
    #expect(TitleCleaner.address("https://a.example/b c") == "https://a.example/b%20c")
    #expect(TitleCleaner.address("ftp://a.example/") == nil)
    #expect(TitleCleaner.address("https://u@a.example/") == nil)
  }
}
