import Testing

@testable import Catalog

@Suite("Values of seeds") struct SeedValueRulesTests {
  @Test(
    "a color has a hash and six hexadecimal digits",
    arguments: [
      ("#0a0B0c", true), ("#09afAF", true), ("#12345", false), ("#1234567", false), ("1234567", false),
      ("#12345g", false), ("#é1234", false),
      ("", false),
    ])
  func colors(_ text: String, _ isValid: Bool) { #expect((SeedValueRules.color(text) == nil) == isValid) }

  @Test(
    "an icon has words of small letters and digits between dots",
    arguments: [
      ("a", true), ("a.b9", true), ("0", true), ("a..b", false), (".a", false), ("a.", false), ("", false),
      ("A", false), ("a-b", false),
    ])
  func icons(_ text: String, _ isValid: Bool) { #expect((SeedValueRules.icon(text) == nil) == isValid) }

  @Test(
    "a record name has 1 to 255 printable ASCII characters without a space",
    arguments: [
      ("!", true), ("~", true), ("a_", true), ("", false), ("_a", false), (" ", false), ("\u{7F}", false),
      ("é", false),
      (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
    ])
  func recordNames(_ text: String, _ isValid: Bool) {
    #expect((SeedValueRules.recordName(text) == nil) == isValid)
  }

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
    "a tag is short, in lower case and one word",
    arguments: [
      ("a-0", nil), ("", "a tag is empty"), ("c++", nil), ("日本", nil),
      ("a b", "the tag 'a b' contains white space or a comma"),
      ("a,b", "the tag 'a,b' contains white space or a comma"), ("Ab", "the tag 'Ab' is not in lower case"),
      ("Z", "the tag 'Z' is not in lower case"), ("@", nil), ("[", nil),
      ("É", "the tag 'É' is not in lower case"),
      ("ǅ", "the tag 'ǅ' is not in lower case"), ("\u{2160}", "the tag '\u{2160}' is not in lower case"),
      ("\u{216F}", "the tag '\u{216F}' is not in lower case"), ("\u{2170}", nil),
      ("\u{24B6}", "the tag '\u{24B6}' is not in lower case"),
      ("\u{24CF}", "the tag '\u{24CF}' is not in lower case"), ("\u{24D0}", nil),
      (String(repeating: "a", count: 50), nil),
      (String(repeating: "a", count: 51), "the tag is longer than 50 characters"),
    ] as [(String, String?)])
  func tags(_ text: String, _ problem: String?) { #expect(SeedValueRules.tag(text) == problem) }

  @Test(
    "a language is known by the first part of its tag, by a longer or former code, and by its name",
    arguments: [
      ("en", "en"), ("EN-us", "en"), ("pt_BR", "pt"), ("de_AT.UTF-8", "de"), ("ger", "de"), ("deu-CH", "de"),
      ("cmn-Hans", "zh"), ("iw", "he"), ("French", "fr"), ("English (UK)", "en"), ("日本語", "ja"),
      ("fr, en", "fr"), ("e", nil), ("", nil), ("-en", nil), ("xx", nil), ("und", nil), ("mul", nil),
      ("x-en", nil), ("Klingon", nil), ("enormous", nil),
    ] as [(String, String?)])
  func languages(_ text: String, _ code: String?) { #expect(LanguageCodes.code(text) == code) }

  @Test(
    "a seed names a language by a tag",
    arguments: [
      ("en", "en"), ("EN-us", "en"), ("pt_BR", "pt"), ("eng", nil), ("english", nil), ("iw", nil), ("", nil),
      ("-en", nil),
    ] as [(String, String?)])
  func tags(_ tag: String, code: String?) { #expect(LanguageCodes.codeOfTag(tag) == code) }
}
