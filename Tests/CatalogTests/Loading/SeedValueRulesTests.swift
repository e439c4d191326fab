import Testing

@testable import Catalog

@Suite("Values of seeds") struct SeedValueRulesTests {
  @Test(
    "a control character is named by its code, except for line ends and tabs",
    arguments: [
      ("a\tb\nc", nil), ("\u{1F}", "1f"), ("a\u{0}", "0"), ("\u{20}", nil), ("\u{7E}", nil), ("\u{7F}", "7f"),
      ("\u{80}", "80"), ("\u{9F}", "9f"),
      ("\u{A0}", nil), ("é\r", "d"), ("", nil),
    ] as [(String, String?)])
  func controls(_ text: String, _ code: String?) {
    #expect(SeedValueRules.control(text) == code.map { "the text contains the control character U+\($0)" })
  }

  @Test(
    "a language is known by the first part of its tag, by a longer or former code, and by its name",
    arguments: [
      ("en", "en"), ("EN-us", "en"), ("pt_BR", "pt"), ("de_AT.UTF-8", "de"), ("ger", "de"), ("deu-CH", "de"),
      ("cmn-Hans", "zh"), ("iw", "he"), ("French", "fr"), ("English (UK)", "en"), ("日本語", "ja"),
      ("fr, en", "fr"), ("e", nil), ("", nil), ("-en", nil), ("xx", nil), ("und", nil), ("mul", nil),
      ("x-en", nil), ("Klingon", nil), ("enormous", nil),
    ] as [(String, String?)])
  func languages(_ text: String, _ code: String?) { #expect(LanguageCodes.code(text) == code) }
}
