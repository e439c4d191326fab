extension JSONParser {
  mutating func string() throws(JSONSyntaxError) -> String {
    let start = position
    // Not in `position`: the loop would store it for each byte.
    var end = start + 1
    while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
      bytes[end] != UInt8(ascii: "\\")
    {
      end += 1
    }
    position = end
    switch peek {
    case UInt8(ascii: "\""):
      let text = try decode(cut(bytes[start + 1..<end]), at: start + 1..<end)
      position += 1
      try hold(text.utf8.count)
      return text
    case nil: throw JSONSyntaxError("the string is not closed", at: start..<min(start + 1, bytes.count))
    case UInt8(ascii: "\\"): return try escapedString(from: start)
    case _ where limits.isLenient: return try escapedString(from: start)
    default: throw error("a control character inside a string must be written as an escape")
    }
  }

  /// The slow path for strings with escapes: collects the string piece by piece.
  private mutating func escapedString(from start: Int) throws(JSONSyntaxError) -> String {
    var text: [UInt8] = []
    var pieceStart = start + 1
    while let byte = peek {
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        position += 1
        continue
      }
      append(bytes[pieceStart..<position], to: &text)
      if byte == UInt8(ascii: "\"") {
        position += 1
        try hold(text.count)
        return try gathered(text, at: start..<position)
      }
      if byte == UInt8(ascii: "\\") {
        if let scalar = try escape() { append(scalar, to: &text) }
      } else {
        try control(byte, to: &text)
      }
      pieceStart = position
    }
    throw JSONSyntaxError("the string is not closed", at: start..<start + 1)
  }

  /// Handles a raw control character. Lenient reading keeps line breaks and tabs and drops all others.
  private mutating func control(_ byte: UInt8, to text: inout [UInt8]) throws(JSONSyntaxError) {
    guard limits.isLenient else {
      throw error("a control character inside a string must be written as an escape")
    }
    position += 1
    if (0x09...0x0D).contains(byte) { append(byte, to: &text) }
  }

  // MARK: Pieces

  private mutating func append(_ byte: UInt8, to text: inout [UInt8]) {
    if text.count < limits.text { text.append(byte) } else { isTextCut = true }
  }

  private mutating func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    if scalar.isASCII { return append(UInt8(scalar.value), to: &text) }
    for byte in String(scalar).utf8 { append(byte, to: &text) }
  }

  private mutating func append(_ piece: Slice<UnsafeBufferPointer<UInt8>>, to text: inout [UInt8]) {
    let kept = piece.prefix(limits.text - text.count)
    text.append(contentsOf: kept)
    if kept.count < piece.count { isTextCut = true }
  }

  private mutating func gathered(_ text: [UInt8], at range: Range<Int>) throws(JSONSyntaxError) -> String {
    let result = text.withUnsafeBufferPointer { text in
      let whole = text.count < limits.text ? text[...] : Self.wholeCharacters(text[...])
      return Result { () throws(JSONSyntaxError) in try decode(whole, at: range) }
    }
    return try result.get()
  }

  private mutating func cut(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
    guard text.count > limits.text else { return text }
    isTextCut = true
    return Self.wholeCharacters(text.prefix(limits.text))
  }

  private static func wholeCharacters(_ text: Slice<UnsafeBufferPointer<UInt8>>)
    -> Slice<UnsafeBufferPointer<UInt8>>
  {
    let text = UnsafeBufferPointer(rebasing: text)
    var last = text.count - 1
    while last > 0, text.count - last < 4, text[last] & 0xC0 == 0x80 { last -= 1 }
    guard last >= 0, UTF8Character.length(in: text, at: last) == 0 else { return text[...] }
    return text[..<last]
  }

  private func decode(
    _ text: Slice<UnsafeBufferPointer<UInt8>>, at range: Range<Int>
  ) throws(JSONSyntaxError) -> String {
    // Validating is generic, and most strings are ASCII.
    if text.allSatisfy({ $0 < 0x80 }) {
      return String(decoding: UnsafeBufferPointer(rebasing: text), as: UTF8.self)
    }
    guard let text = String(validating: text, as: UTF8.self) else {
      throw JSONSyntaxError("the string is not valid UTF-8", at: range)
    }
    return text
  }

  // MARK: Escapes

  /// The character of an escape; `nil` for an unknown escape in lenient reading, which drops the backslash.
  private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar? {
    let start = position
    position += 1
    let kind = peek
    position += 1
    switch kind {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape(from: start)
    default:
      guard limits.isLenient else {
        throw JSONSyntaxError("unknown escape in a string", at: start..<min(position, bytes.count))
      }
      position = start + 1
      return nil
    }
  }

  /// Reads `\uXXXX`. Lenient reading replaces half of a surrogate pair by U+FFFD.
  private mutating func unicodeEscape(from start: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
    guard limits.isLenient else { return try character(from: start) }
    var reader = self
    if let scalar = try? reader.character(from: start) {
      position = reader.position
      return scalar
    }
    _ = try? hexUnit(from: start)
    return "\u{FFFD}"
  }

  private mutating func character(from start: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
    let high = try hexUnit(from: start)
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard (0xD800..<0xDC00).contains(high), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw JSONSyntaxError("half of a surrogate pair", at: start..<position)
    }
    let low = try hexUnit(from: start)
    guard (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
    else { throw JSONSyntaxError("half of a surrogate pair", at: start..<position) }
    return scalar
  }

  private mutating func hexUnit(from start: Int) throws(JSONSyntaxError) -> UInt16 {
    let end = min(position + 4, bytes.count)
    let digits = String(decoding: bytes[position..<end], as: UTF8.self)
    guard end - position == 4, bytes[position..<end].allSatisfy(\.isHexDigit),
      let unit = UInt16(digits, radix: 16)
    else { throw JSONSyntaxError("expected four hexadecimal digits after \\u", at: start..<end) }
    position = end
    return unit
  }
}
