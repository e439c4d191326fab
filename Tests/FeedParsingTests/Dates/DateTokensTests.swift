import Testing

@testable import FeedParsing

@Suite struct DateTokensTests {
  /// The tokens of a text: `number/digits`, words as they are, marks in brackets. A dot stands before what is not apart.
  private func tokens(_ text: String) -> String {
    let elements = Array(text.utf8).withUnsafeBufferPointer { DateTokens($0).elements }
    return elements.map { element in
      let token =
        switch element.token {
        case .number(let value, let digits): "\(value)/\(digits)"
        case .word(let word): word
        case .mark(let mark): "[\(mark)]"
        }
      return (element.isApart ? " " : ".") + token
    }.joined()
  }

  @Test(
    "numbers, words and marks are distinguished, and white space is noted",
    arguments: [
      ("", ""), (" ", ""), ("21", ".21/2"), (" 21", " 21/2"), ("021 Nov", ".21/3 nov"),
      ("21nov", ".21/2.nov"),
      ("a-b", ".a.[-].b"), ("a - b", ".a [-] b"), ("12:34", ".12/2.[:].34/2"), ("A_B", ".a_b"),
      ("_a", ".[_].a"), ("_", ".[_]"),
      ("nov.", ".nov.[.]"), ("\u{2212}5", ".[-].5/1"), ("５：６", ".5/1.[:].6/1"), ("’26", ".['].26/2"),
      ("٢١", ".21/2"),
      ("12345678901234567", ".12345678901234567/17"), ("123456789012345678", ".12345678901234567/17.8/1"),
      ("土曜日", ".土"), ("日本", ".日.本"), ("a日b", ".a.日.b"), ("พ.ย. 5", ".พ.ย. 5/1"), ("é\u{301}x", ".é\u{301}x"),
      ("½", ".[½]"), ("²", ".[²]"),
    ])
  func kinds(text: String, expected: String) {
    #expect(tokens(text) == expected)
  }

  @Test(
    "forms of several words have one word",
    arguments: [
      ("5 a.m.", ".5/1 am"), ("5 p. m.", ".5/1 pm"), ("下午5", " pm 5/1"), ("午前", " am"),
      ("令和8年", " reiwa 8/1.年"),
      ("元年", ".1/1.年"), ("一月", " 1/1.月"), ("二月", " 2/1.月"), ("十月", " 10/2.月"), ("十一月", " 11/2.月"),
      ("十二月", " 12/2.月"),
      ("九月", " 9/1.月"), ("Eastern Time", ".et"), ("Pacific Daylight Time", ".pdt"),
      ("mountain standard time", ".mst"),
      ("Central European Summer Time", ".cest"), ("Greenwich Mean Time", ".gmt"), ("eastern", ".eastern"),
    ])
  func translations(text: String, expected: String) {
    #expect(tokens(text) == expected)
  }

  @Test("a text with Korean letters is Korean")
  func korean() {
    for (text, expected) in [("오", true), ("2026년", true), ("2026年", false), ("abc", false), ("", false)] {
      let isKorean = Array(text.utf8).withUnsafeBufferPointer { DateTokens($0).isKorean }
      #expect(isKorean == expected, "\(text)")
    }
  }
}
