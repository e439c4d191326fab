import Testing

@testable import FeedParsing

@Suite struct TextCaptureTests {
  @Test(
    "Base64 has two alphabets, and white space and padding do not count",
    arguments: [
      ("", []), ("YQ==", [0x61]), ("YQ", [0x61]), ("YWI=", [0x61, 0x62]), ("YWJj", [0x61, 0x62, 0x63]),
      ("YWJjZA", [0x61, 0x62, 0x63, 0x64]),
      ("Y W\nJj", [0x61, 0x62, 0x63]), ("+/+/", [0xFB, 0xFF, 0xBF]), ("-_-_", [0xFB, 0xFF, 0xBF]),
      ("AAAA", [0, 0, 0]),
      ("AZaz", [0x01, 0x96, 0xB3]), ("09//", [0xD3, 0xDF, 0xFF]), ("Y", []), ("Y!", nil), ("YWJj\u{80}", nil),
      ("@", nil), ("[", nil),
    ] as [(String, [UInt8]?)])
  func base64(text: String, expected: [UInt8]?) {
    #expect(Array(text.utf8).withUnsafeBufferPointer(Base64.decode) == expected)
  }
}
