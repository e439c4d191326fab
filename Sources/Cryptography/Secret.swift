internal import COpenSSL

/// A secret text, such as a token. Printing, dumping or logging it shows only `[redacted]`.
package struct Secret: Sendable, Hashable {
  /// The text itself. Only for the request that needs it; never for output, logs or files.
  package let exposed: String

  package init(_ text: String) { exposed = text }

  /// Another program's text with the secret removed, even next to other characters. A secret of a few letters stays: it
  /// hides nothing, and ordinary words contain it.
  package func redacted(in text: String) -> String {
    guard exposed.utf8.count >= 6 else { return text }
    return String(text.unicodeScalars.replacing(exposed.unicodeScalars, with: "[redacted]".unicodeScalars))
  }

  /// Compares in a time that depends only on the lengths, so that a secret cannot be guessed one byte after the other.
  package static func == (left: Secret, right: Secret) -> Bool {
    let (left, right) = (Array(left.exposed.utf8), Array(right.exposed.utf8))
    return left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }

  /// 128 random bits as hexadecimal digits.
  package static func random() -> Secret {
    var generator = SystemRandomNumberGenerator()
    return Secret((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal)
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "[redacted]" }
  package var debugDescription: String { "[redacted]" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
