internal import HTTPTransport

/// Converts addresses to the form that the catalog accepts: ASCII, percent-encoded.
enum URLNormalizer {
  /// The address with everything encoded that needs it; unchanged when nothing does, or when it cannot be read.
  static func encoded(_ text: String) -> String {
    let needsEncoding = text.utf8.contains { $0 <= 0x20 || $0 > 0x7E || unsafe.contains($0) }
    guard needsEncoding else { return text }
    let trimmed = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    var output = ""
    for byte in (URLParts(trimmed)?.text ?? trimmed).utf8 {
      if byte <= 0x20 || byte > 0x7E || unsafe.contains(byte) {
        let hex = String(byte, radix: 16, uppercase: true)
        output += "%" + (hex.utf8.count == 1 ? "0" : "") + hex
      } else {
        output.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return output
  }

  private static let unsafe = Set("<>\"\\^`{|}".utf8)
}
