import Diagnostics
import Testing

@Suite struct UTF8CharacterTests {
  @Test("a whole character has its length", arguments: ["a", "é", "€", "😀", "\u{10FFFF}", "\u{D7FF}"])
  func whole(_ text: String) {
    #expect(length(of: Array(text.utf8)) == text.utf8.count)
  }

  @Test(
    "what is cut off, overlong, a surrogate or beyond Unicode has none",
    arguments: [
      [0x80], [0xC3], [0xE2, 0x82], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
      [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82, 0x41],
    ] as [[UInt8]])
  func broken(_ bytes: [UInt8]) {
    #expect(length(of: bytes) == 0)
  }

  private func length(of bytes: [UInt8]) -> Int {
    bytes.withUnsafeBufferPointer { UTF8Character.length(in: $0, at: 0) }
  }
}
