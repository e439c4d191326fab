import Testing
import XMLReading

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
}
