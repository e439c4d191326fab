/// Relative links inside a text that holds HTML.
enum MarkupLinks {
  /// The text with every `href` and `src` made what `absolute` says; everything else stays byte for byte.
  static func resolve(_ text: UnsafeBufferPointer<UInt8>, absolute: (String) -> String) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count + 256)
    var index = 0
    var isInTag = false
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "<") { isInTag = true }
      if byte == UInt8(ascii: ">") { isInTag = false }
      output.append(byte)
      index += 1
      guard isInTag, byte.isSpace, let value = linkValue(text, from: index) else { continue }
      output.append(contentsOf: text[index..<value.lowerBound])
      let reference = UnsafeBufferPointer(rebasing: text[value]).trimmed
      output.append(contentsOf: absolute(String(decoding: reference, as: UTF8.self)).utf8)
      index = value.upperBound
    }
    return output
  }

  /// Where the quoted value of a link attribute that begins at `start` stands.
  private static func linkValue(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
    let rest = UnsafeBufferPointer(rebasing: text[start...])
    guard let length = rest.startsIgnoringCase("href=") ? 5 : rest.startsIgnoringCase("src=") ? 4 : nil,
      rest.count > length
    else { return nil }
    let quote = rest[length]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    let value = start + length + 1
    guard let end = text[value...].firstIndex(of: quote) else { return nil }
    return value..<end
  }
}
