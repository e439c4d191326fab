internal import XMLReading

/// Resolves relative links inside an HTML text.
enum MarkupLinkResolver {
  /// The text with every relative `href` and `src` replaced by the result of `absolute`; all other bytes stay.
  /// `nil` if there is no link, as in nearly all texts.
  static func resolve(_ text: UnsafeBufferPointer<UInt8>, absolute: (String) -> String) -> [UInt8]? {
    var output: [UInt8] = []
    var copied = 0
    var index = 0
    while let open = text[index...].firstIndex(of: UInt8(ascii: "<")) {
      index = open + 1
      while index < text.count, text[index] != UInt8(ascii: ">") {
        index += 1
        guard text[index - 1].isSpace, let value = linkValue(text, from: index) else { continue }
        index = value.upperBound
        let reference = UnsafeBufferPointer(rebasing: text[value]).trimmed
        guard !URLResolver.isWebAddress(reference) else { continue }
        output.append(contentsOf: text[copied..<value.lowerBound])
        output.append(contentsOf: absolute(String(decoding: reference, as: UTF8.self)).utf8)
        copied = value.upperBound
      }
    }
    guard copied > 0 else { return nil }
    output.append(contentsOf: text[copied...])
    return output
  }

  /// The range of the quoted value of a link attribute at `start`.
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
