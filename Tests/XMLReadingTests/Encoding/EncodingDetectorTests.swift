import Testing

@testable import XMLReading

@Suite struct EncodingDetectorTests {
  private func isUTF8(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer(EncodingDetector.isUTF8) }

  private func detect(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer(EncodingDetector.detect).name
  }

  @Test("only well-formed UTF-8 is UTF-8: no surrogates, no overlong forms, no incomplete characters")
  func validity() {
    #expect(isUTF8(Array("aé漢😀".utf8)) && isUTF8([]))
    for bytes: [UInt8] in [
      [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0x61, 0xC3], [0xE6, 0xBC], [0xF0, 0x9F, 0x98],
    ] {
      #expect(!isUTF8(bytes), "\(bytes)")
    }
  }

  @Test("text that is mostly UTF-8 is UTF-8, however its invalid bytes are grouped")
  func mostlyUTF8() {
    #expect(detect(Array("éé".utf8) + [0xE9]) == "utf-8")
    // An incomplete character of three bytes counts as two invalid bytes.
    #expect(detect(Array("é".utf8) + [0xE2, 0x82, 0x20]) == "windows-1252")
    #expect(detect([0x63, 0xE9, 0x20]) == "windows-1252")
    // One wrong byte beside one character of three bytes.
    #expect(detect(Array("5 €".utf8) + [0x96, 0x20]) == "utf-8")
  }

  @Test("text in another script is recognized by its letters")
  func scripts() {
    #expect(detect([0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2, 0x20, 0xEC, 0xE8, 0xF0]) == "windows-1251")
  }

  private static let space: [UInt8] = [0x20]

  @Test(
    "text in each script is recognized by its letters",
    arguments: [
      (
        "shift-jis",
        [
          0x82, 0xB1, 0x82, 0xEA, 0x82, 0xCD, 0x82, 0xC6, 0x82, 0xC4, 0x82, 0xE0, 0x82, 0xBD, 0x82, 0xCC,
          0x82, 0xB5, 0x82, 0xA2, 0x83, 0x6A, 0x83, 0x85, 0x81, 0x5B, 0x83, 0x58, 0x82, 0xC5, 0x82, 0xB7,
          0x81, 0x42,
        ]
      ),
      (
        "euc-jp",
        [
          0xBF, 0xB7, 0xA4, 0xB7, 0xA4, 0xA4, 0xB5, 0xAD, 0xBB, 0xF6, 0xA4, 0xF2, 0xB8, 0xF8, 0xB3, 0xAB,
          0xA4, 0xB7, 0xA4, 0xDE, 0xA4, 0xB7, 0xA4, 0xBF,
        ]
      ),
      (
        "euc-kr",
        [
          0xC0, 0xCC, 0x20, 0xB1, 0xE2, 0xBB, 0xE7, 0xB4, 0xC2, 0x20, 0xC1, 0xA4, 0xBA, 0xCE, 0xB0, 0xA1,
          0x20, 0xB4, 0xEB, 0xC7, 0xD1, 0xB9, 0xCE, 0xB1, 0xB9, 0xBF, 0xA1, 0x20, 0xB4, 0xEB, 0xC7, 0xCF,
          0xBF, 0xA9,
        ]
      ),
      ("gb18030", [0xCE, 0xD2, 0xC3, 0xC7, 0xD4, 0xDA, 0xD5, 0xE2, 0xC0, 0xEF, 0xBF, 0xB4, 0xCC, 0xEC]),
      (
        "big5",
        [
          0xA7, 0xDA, 0xAD, 0xCC, 0xAA, 0xBA, 0xB0, 0xEA, 0xAE, 0x61, 0xAC, 0x4F, 0xA4, 0x40, 0xAD, 0xD3,
          0xA4, 0x6A, 0xAA, 0xBA, 0xA6, 0x61, 0xA4, 0xE8,
        ]
      ),
      ("koi8-r", [0xD6, 0xC9, 0xDA, 0xCE, 0xD8, 0x20, 0xC8, 0xCF, 0xD2, 0xCF, 0xDB, 0xC1]),
      ("windows-1251", [0xE6, 0xE8, 0xE7, 0xED, 0xFC, 0x20, 0xF5, 0xEE, 0xF0, 0xEE, 0xF8, 0xE0]),
      ("iso-8859-5", [0xD6, 0xD8, 0xD7, 0xDD, 0xEC, 0x20, 0xE5, 0xDE, 0xE0, 0xDE, 0xE8, 0xD0]),
      (
        "windows-1255",
        [
          0xEB, 0xEA, 0x20, 0xE4, 0xEB, 0xEC, 0x20, 0xE8, 0xE5, 0xE1, 0x20, 0xE5, 0xE0, 0xF4, 0xF9, 0xF8,
          0x20, 0xEC, 0xF6, 0xE0, 0xFA,
        ]
      ),
      (
        "windows-1253",
        [
          0xFC, 0xEB, 0xE7, 0x20, 0xE7, 0x20, 0xF7, 0xFE, 0xF1, 0xE1, 0x20, 0xF8, 0xE7, 0xF6, 0xDF, 0xE6,
          0xE5, 0xE9, 0x20, 0xF3, 0xDE, 0xEC, 0xE5, 0xF1, 0xE1,
        ]
      ),
      ("tis-620", [0xCA, 0xC7, 0xD1, 0xCA, 0xB4, 0xD5, 0xAA, 0xD2, 0xC7, 0xE2, 0xC5, 0xA1]),
    ] as [(String, [UInt8])])
  func eachScript(name: String, text: [UInt8]) {
    #expect(detect(text) == name)
    // Letters of ASCII before the text say nothing.
    #expect(detect(Array(repeating: UInt8(ascii: "a"), count: 9000) + Self.space + text) == name)
  }

  @Test("UTF-8 wins when more bytes are valid than not; a tie is not enough")
  func majority() {
    #expect(detect([]) == "utf-8")
    #expect(detect([0x61]) == "utf-8")
    #expect(detect(Array("é".utf8)) == "utf-8")
    #expect(detect(Array("é".utf8) + [0xE9, 0x20]) == "utf-8")
    #expect(detect(Array("é".utf8) + [0xE9, 0x20, 0xE9, 0x20]) == "windows-1252")
    #expect(detect(Array("é".utf8) + [0xE9, 0x20, 0xE9, 0x20, 0xE9]) == "windows-1252")
  }

  @Test("another script needs six bytes beyond ASCII, of which two in five follow one another")
  func density() {
    func runs(_ lengths: [Int]) -> [UInt8] {
      lengths.flatMap { Array(repeating: 0xEE as UInt8, count: $0) + Self.space }
    }
    #expect(detect(runs([5])) == "windows-1252")
    #expect(detect(runs([6])) == "windows-1251")
    #expect(detect(runs([5, 1, 1, 1, 1, 1])) == "windows-1251")
    #expect(detect(runs([4, 1, 1, 1, 1, 1, 1])) == "windows-1252")
    #expect(detect(runs([2, 2, 2, 2, 1, 1])) == "windows-1251")
    #expect(detect(runs([2, 2, 2, 1, 1, 1, 1])) == "windows-1252")
  }

  @Test("the score is the mean over all letters")
  func mean() {
    // Five rare letters and a capital have 0.63 of 1. Other candidates know no such bytes or letters.
    #expect(detect([0xFB, 0xFF, 0xF6, 0xF7, 0xF8, 0xD8]) == "windows-1251")
    #expect(detect([0xFB, 0xFF, 0xF6, 0xD7, 0xD9, 0xD8]) == "windows-1252")
  }

  @Test("a guess reads 8 KiB of text, or 16 KiB of one word")
  func sample() {
    // 98 means nothing in windows-1251, but it is a character of windows-1255, which then is likelier.
    let wrong: [UInt8] = [0x98]
    for (count, expected) in [(16_384, "windows-1255"), (16_385, "windows-1251")] {
      #expect(detect(Array(repeating: 0xEE, count: count) + wrong) == expected, "\(count)")
    }
    // Two letters and the first of the spaces after them count.
    for (count, expected) in [(2730, "windows-1255"), (2731, "windows-1251")] {
      let words = Array(repeating: [0xEE, 0xEE, 0x20, 0x20] as [UInt8], count: count).flatMap(\.self)
      #expect(detect(words + wrong) == expected, "\(count)")
    }
  }

  @Test("distinct UTF-8 has a character beyond ASCII")
  func distinct() {
    func isDistinct(_ bytes: [UInt8]) -> Bool {
      bytes.withUnsafeBufferPointer(EncodingDetector.isDistinctUTF8)
    }
    #expect(isDistinct(Array("aé".utf8)))
    #expect(isDistinct(Array("\u{80}".utf8)))
    #expect(!isDistinct([]) && !isDistinct([0x7F]) && !isDistinct([0x61, 0x80]))
  }
}
