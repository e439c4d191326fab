import Testing

@testable import XMLReading

@Suite struct CharacterReferencesTests {
  /// A reference to `A` of so many bytes.
  private static func long(_ length: Int) -> String {
    "&#" + String(repeating: "0", count: length - 5) + "65;"
  }

  @Test(
    "a reference is resolved once; an ampersand that begins none stays",
    arguments: [
      ("", ""), ("ab", "ab"), ("&amp;lt;&lt;&gt;&quot;&apos;", "&lt;<>\"'"), ("a&amp;b", "a&b"),
      ("&eacute;&euro;", "é€"), ("&nope;", "&nope;"), ("&;", "&;"), ("&", "&"), ("&a", "&a"), ("& ;", "& ;"),
      ("&#65;&#x42;&#X43;", "ABC"), ("&#x1F600;", "😀"), ("&#xfF;", "ÿ"), ("&#;", "&#;"), ("&#x;", "&#x;"),
      ("&#6x;", "&#6x;"), ("&#A;", "&#A;"), ("&#xG;", "&#xG;"),
      ("&#xD7FF;", "\u{D7FF}"), ("&#xD800;", "&#xD800;"), ("&#xDFFF;", "&#xDFFF;"), ("&#xE000;", "\u{E000}"),
      ("&#x10FFFF;", "\u{10FFFF}"), ("&#x110000;", "&#x110000;"),
      (long(40), "A"), (long(41), long(41)), ("&" + long(40), "&A"),
    ])
  func resolving(text: String, expected: String) {
    #expect(CharacterReferences.resolve(text) == expected)
  }

  @Test("of the controls, only tab and the two line ends are characters of XML")
  func controls() {
    for number: UInt8 in 0...33 {
      let reference = "&#\(number);"
      let isAllowed = [9, 10, 13, 32, 33].contains(number)
      #expect(
        CharacterReferences.resolve(reference)
          == (isAllowed ? String(Unicode.Scalar(number)) : reference), "\(number)")
    }
  }

  @Test(
    "a numeric reference has a length, whatever its number",
    arguments: [
      ("&#1;", 4), ("&#1;;", 4), ("&#12;", 5), ("&#x1;", 5), ("&#XaF;", 6), ("&#xD800;", 8), ("&#x0g;", nil),
      ("&#1F;", nil), ("&#f;", nil), ("&#x;", nil), ("&#;", nil), ("&#;1", nil), ("&#;1;", nil),
      ("&#12", nil),
      ("&a1;", nil), ("&1;;", nil), ("&#", nil), ("&", nil), (long(40), 40), (long(41), nil),
    ] as [(String, Int?)])
  func numericLength(text: String, expected: Int?) {
    #expect(Array(text.utf8).withUnsafeBufferPointer(CharacterReferences.numericLength) == expected)
  }
}
