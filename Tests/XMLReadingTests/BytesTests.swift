import Testing

@testable import XMLReading

@Suite struct BytesTests {
  private func with<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    Array(text.utf8).withUnsafeBufferPointer(body)
  }

  @Test("each of the 256 bytes has its kind")
  func kinds() {
    let spaces = Set(" \t\n\u{0B}\u{0C}\r".utf8)
    let digits = Set("0123456789".utf8)
    let small = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    let capital = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    for byte in UInt8.min...UInt8.max {
      let isLetter = small.contains(byte) || capital.contains(byte)
      let isNameStart = isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte > 127
      let isNameByte =
        isNameStart || digits.contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      #expect(byte.isSpace == spaces.contains(byte), "\(byte)")
      #expect(byte.isDigit == digits.contains(byte), "\(byte)")
      #expect(byte.isLetter == isLetter, "\(byte)")
      #expect(byte.isNameStart == isNameStart, "\(byte)")
      #expect(byte.isNameByte == isNameByte, "\(byte)")
      #expect(byte.lowercased == capital.firstIndex(of: byte).map { small[$0] } ?? byte, "\(byte)")
    }
  }

  @Test(
    "white space is removed at both ends and nowhere else",
    arguments: [
      ("", ""), ("a", "a"), (" a", "a"), ("a ", "a"), (" a ", "a"), (" ", ""), (" \t\r\n ", ""),
      ("\ta b\n", "a b"), ("ab", "ab"),
    ])
  func trimming(text: String, expected: String) {
    #expect(with(text) { String(decoding: $0.trimmed, as: UTF8.self) } == expected)
    #expect(with(text) { String(decoding: $0.trimmedAtEnds, as: UTF8.self) } == expected)
    #expect(text.nonEmpty == (expected.isEmpty ? nil : expected))
  }

  @Test("bytes are equal when they are as many and the same; no memory equals no bytes")
  func equality() {
    let texts = ["", "a", "b", "ab", "ba"]
    for left in texts {
      for right in texts {
        #expect(with(left) { left in with(right) { left.equals($0) } } == (left == right), "\(left) \(right)")
      }
    }
    let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    #expect(nothing.equals(nothing))
    #expect(with("") { $0.equals(nothing) && nothing.equals($0) })
    #expect(with("a") { !$0.equals(nothing) && !nothing.equals($0) })
  }

  @Test(
    "a text is found where it first occurs, from a start on",
    arguments: [
      ("aaab", 0, 1), ("aab", 0, 0), ("xaab", 0, 1), ("aabx", 0, 0), ("aabaab", 0, 0), ("aabaab", 1, 3),
      ("aabaab", 3, 3), ("aabaab", 4, nil), ("aa", 0, nil), ("", 0, nil), ("aab", 3, nil), ("aac", 0, nil),
      ("abaab", 0, 2),
    ] as [(String, Int, Int?)])
  func position(text: String, start: Int, expected: Int?) {
    #expect(with(text) { $0.position(of: "aab", from: start) } == expected)
  }

  @Test("a text of one byte is found at either end")
  func positionOfByte() {
    #expect(with(">a>") { $0.position(of: ">") } == 0)
    #expect(with(">a>") { $0.position(of: ">", from: 1) } == 2)
  }

  @Test(
    "the characters U+0080 to U+009F become those of windows-1252",
    arguments: [
      ("", "", false), ("a", "a", false), ("ab", "ab", false), ("\u{7F}", "\u{7F}", false),
      ("\u{80}", "€", true), ("a\u{80}b", "a€b", true), ("\u{85}\u{9F}", "…Ÿ", true),
      ("\u{81}", "\u{81}", true), ("\u{A0}", "\u{A0}", false), ("Ã", "Ã", false), ("a©\u{93}", "a©“", true),
    ])
  func controls(text: String, expected: String, hasControls: Bool) {
    #expect(with(text) { $0.text } == expected)
    #expect(with(text) { $0.hasControls } == hasControls)
  }

  @Test(
    "the start of a text is compared in any letter case",
    arguments: [
      ("ab-c", true), ("AB-C", true), ("aB-cd", true), ("ab-", false), ("", false), ("ab-d", false),
      ("xb-c", false), ("ab\rc", false),
    ])
  func starts(text: String, expected: Bool) {
    #expect(Array(text.utf8).startsIgnoringCase("ab-c") == expected)
  }

  @Test("a buffer keeps what is appended to it")
  func buffer() {
    var buffer = ByteBuffer()
    let before = buffer.count
    with("ab") { buffer.append($0) }
    with("") { buffer.append($0) }
    with("c") { buffer.append($0) }
    let after = buffer.count
    let text = String(decoding: buffer.bytes, as: UTF8.self)
    #expect(before == 0 && after == 3 && text == "abc")
  }
}
