/// Prepares the text of a page for ``HTMLReader``: valid UTF-8 without NUL and without extremely long words.
enum HTMLTextCleaner {
  /// Bytes of the longest word that is kept. Images written into a page are words of megabytes, and no address that
  /// anyone uses is as long.
  static let maxWord = 8 << 10
  /// Where a page's `meta` element is looked for (HTML Standard, section 13.2.3.2).
  private static let window = 1024

  static func decode(_ bytes: [UInt8], contentType: ContentType?, upTo limit: Int) -> [UInt8] {
    bytes.withUnsafeBufferPointer { bytes in
      let head = UnsafeBufferPointer(rebasing: bytes.prefix(window))
      let (choice, markLength) = choose(head, contentType: contentType)
      let body = UnsafeBufferPointer(rebasing: bytes[markLength...])
      var converted = ByteBuffer()
      _ = Transcoder.decode(body, as: choice, upTo: 2 * limit, into: &converted)
      let utf8 = converted.count > 0 ? converted.bytes : body
      return cleaned(utf8, isValid: EncodingDetector.isUTF8(utf8), upTo: limit)
    }
  }

  /// Prepares what is text already, without its byte order mark.
  static func prepare(_ text: String, upTo limit: Int) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes in
      let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      return cleaned(UnsafeBufferPointer(rebasing: bytes[start...]), isValid: true, upTo: limit)
    }
  }

  private static func choose(
    _ head: UnsafeBufferPointer<UInt8>, contentType: ContentType?
  ) -> (EncodingLabel, Int) {
    let choice = EncodingSniffer.choose(head, contentType)
    guard choice.markLength == 0, choice.declared == nil, choice.encoding.isUTF8,
      let label = metaLabel(head), !label.isWide, Transcoder.knows(label)
    else { return (choice.encoding, choice.markLength) }
    return (label, 0)
  }

  /// The label in `<meta charset="…">` or `<meta http-equiv content="text/html; charset=…">`.
  private static func metaLabel(_ head: UnsafeBufferPointer<UInt8>) -> EncodingLabel? {
    let lower = head.map(\.lowercased)
    return lower.withUnsafeBufferPointer { text in
      var start = 0
      while let tag = text.position(of: "<meta", from: start) {
        let end = text.index(of: UInt8(ascii: ">"), from: tag) ?? text.count
        if let name = text.position(of: "charset", from: tag), name < end {
          let value = text[(name + 7)..<end].drop { $0.isSpace }
          let label = value.dropFirst().drop { $0.isSpace || $0 == 0x22 || $0 == 0x27 }
            .prefix { !$0.isSpace && $0 != 0x22 && $0 != 0x27 && $0 != 0x3B && $0 != 0x2F }
          if value.first == UInt8(ascii: "=") { return EncodingLabel(String(decoding: label, as: UTF8.self)) }
        }
        start = tag + 5
      }
      return nil
    }
  }

  /// Repairs what libxml2 cannot read: after one invalid byte it would read the rest of the page as Latin-1, and NUL
  /// ends it. Of a longer page, a few bytes more than `limit` are kept.
  private static func cleaned(
    _ text: UnsafeBufferPointer<UInt8>, isValid: Bool, upTo limit: Int
  ) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(min(text.count, limit) + 8)
    var word = 0
    func add(_ byte: UInt8) {
      // Only ASCII: text in scripts without spaces is not a word.
      word =
        byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x27 && byte != 0x3C && byte != 0x3E
        ? word + 1 : 0
      // Without its hyphens, the comment that the word is in would not end.
      if word <= maxWord || byte == UInt8(ascii: "-") { output.append(byte) }
    }
    if isValid, !text.contains(0) {
      for byte in text where output.count <= limit { add(byte) }
    } else {
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where output.count <= limit {
        for byte in UTF8.encode(scalar.value == 0 ? "\u{FFFD}" : scalar).unsafelyUnwrapped { add(byte) }
      }
    }
    blankMarks(&output)
    return output
  }

  /// Writes spaces over what libxml2 takes for more than browsers do: `</body>` and `</html>`, because browsers read the
  /// elements that follow, and marks of Word such as `<![if !supportLists]>`, which are comments and not text. One that
  /// ends with `-->` may be the end of a comment, and stays.
  private static func blankMarks(_ text: inout [UInt8]) {
    var start = 0
    while let open = text[start...].firstIndex(of: UInt8(ascii: "<")) {
      start = open + 1
      guard let end = endOfMark(in: text[start...]) else { continue }
      for index in open...end { text[index] = UInt8(ascii: " ") }
    }
  }

  /// - Parameter text: what follows the `<`.
  private static func endOfMark(in text: ArraySlice<UInt8>) -> Int? {
    let isTag = text.startsIgnoringCase("/body") || text.startsIgnoringCase("/html")
    guard isTag || text.startsIgnoringCase("![if") || text.startsIgnoringCase("![endif") else { return nil }
    let end = text.dropFirst(5).prefix(64).firstIndex {
      isTag ? !$0.isSpace : $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<")
    }
    guard let end, text[end] == UInt8(ascii: ">"), text[end - 1] != UInt8(ascii: "-") else { return nil }
    return end
  }
}
