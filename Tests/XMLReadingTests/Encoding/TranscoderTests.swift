import Testing

@testable import XMLReading

@Suite struct TranscoderTests {
  /// The text of the bytes that arrive in pieces of a length, and whether any were invalid.
  private func convert(_ bytes: [UInt8], _ encoding: String, by length: Int) -> (
    text: String, sawInvalid: Bool
  ) {
    guard let transcoder = Transcoder(EncodingLabel(known: encoding)) else { return ("unknown", false) }
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: length) {
      Array(bytes[start..<min(start + length, bytes.count)]).withUnsafeBufferPointer {
        transcoder.convert($0, into: &output)
      }
    }
    transcoder.finish(into: &output)
    return (String(decoding: output, as: UTF8.self), transcoder.sawInvalid)
  }

  @Test(
    "the text does not depend on the pieces it arrives in; a run of invalid bytes is one U+FFFD",
    arguments: [
      ("utf-16le", [], "", false), ("utf-16le", [0x61, 0, 0x62, 0], "ab", false),
      ("utf-16le", [0x3D, 0xD8, 0x00, 0xDE], "😀", false), ("utf-16le", [0x61, 0, 0x62], "a\u{FFFD}", true),
      ("shift-jis", [0x82, 0xA0, 0x61, 0x82, 0xA2], "あaい", false),
      ("shift-jis", [0x61, 0x82], "a\u{FFFD}", true),
      ("us-ascii", [0x61, 0x80, 0x81, 0x62, 0x80, 0x63], "a\u{FFFD}b\u{FFFD}c", true),
      ("us-ascii", [0x80], "\u{FFFD}", true), ("us-ascii", [0x61, 0x80], "a\u{FFFD}", true),
      ("windows-1252", [0x80, 0xE9], "€é", false),
    ] as [(String, [UInt8], String, Bool)])
  func pieces(encoding: String, bytes: [UInt8], expected: String, sawInvalid: Bool) {
    for length in 1...max(1, bytes.count) {
      let (text, invalid) = convert(bytes, encoding, by: length)
      #expect(text == expected, "by \(length)")
      #expect(invalid == sawInvalid, "by \(length)")
    }
  }

  @Test("a long text is converted whole, however its characters fall on the pieces of the conversion")
  func long() {
    for shift in 0..<2 {
      let bytes =
        Array(repeating: 0x61 as UInt8, count: shift)
        + Array(repeating: [0x82, 0xA0] as [UInt8], count: 70_000).flatMap(\.self)
      let expected = String(repeating: "a", count: shift) + String(repeating: "あ", count: 70_000)
      #expect(convert(bytes, "shift-jis", by: bytes.count).text == expected)
      var whole = ByteBuffer()
      let transcoder = Transcoder(EncodingLabel(known: "shift-jis"))
      bytes.withUnsafeBufferPointer { transcoder?.convert($0, upTo: .max, into: &whole) }
      #expect(String(decoding: whole.bytes, as: UTF8.self) == expected)
    }
  }

  @Test("a document is converted by 64 KiB while its text is shorter than the limit")
  func limit() {
    let bytes = Array(repeating: 0xE9 as UInt8, count: 65_536 * 2 + 1)
    for (limit, expected) in [
      (0, 0), (1, 131_072), (131_072, 131_072), (131_073, 262_144), (262_144, 262_144), (262_145, 262_146),
    ] {
      var text = ByteBuffer()
      let transcoder = Transcoder(EncodingLabel(known: "windows-1252"))
      bytes.withUnsafeBufferPointer { transcoder?.convert($0, upTo: limit, into: &text) }
      #expect(text.count == expected, "\(limit)")
    }
    var text = ByteBuffer()
    let transcoder = Transcoder(EncodingLabel(known: "utf-16le"))
    [0x61, 0, 0x62].withUnsafeBufferPointer { transcoder?.convert($0, upTo: .max, into: &text) }
    #expect(String(decoding: text.bytes, as: UTF8.self) == "a\u{FFFD}")
  }

  @Test("a document is read in its encoding, or in the one that its bytes show; UTF-8 is not copied")
  func decoding() {
    func decode(_ bytes: [UInt8], _ encoding: String) -> (text: String?, encoding: String, isValid: Bool) {
      bytes.withUnsafeBufferPointer { bytes in
        let label = EncodingLabel(known: encoding)
        var text = ByteBuffer()
        let isValid = Transcoder.isValid(bytes, in: label)
        let used = Transcoder.decode(bytes, as: label, isValid: isValid, upTo: 100, into: &text)
        return (text.count == 0 ? nil : String(decoding: text.bytes, as: UTF8.self), used.name, isValid)
      }
    }
    #expect(decode(Array("é".utf8), "utf-8") == (nil, "utf-8", true))
    #expect(decode([0x61, 0xE9], "utf-8") == ("aé", "windows-1252", false))
    #expect(decode(Array("éé".utf8) + [0x80], "utf-8") == ("éé\u{FFFD}", "utf-8", false))
    #expect(decode([0x61, 0xE9], "iso-8859-2") == ("aé", "iso-8859-2", true))
    #expect(decode([0x61, 0x80], "shift-jis").isValid == false)
    #expect(decode(Array("é".utf8), "made-up") == ("é", "utf-8", false))
  }

  @Test("the system knows some encodings")
  func known() {
    for (name, isKnown) in [("utf-8", true), ("us-ascii", true), ("koi8-r", true), ("made-up", false)] {
      #expect(Transcoder.knows(EncodingLabel(known: name)) == isKnown, "\(name)")
    }
  }
}
