internal import COpenSSL

/// A secret text, such as a token. Printing, dumping or logging it shows only `[redacted]`.
public struct Secret: Sendable, Hashable {
  /// The text itself. Only for the request that needs it; never for output, logs or files.
  public let exposed: String

  public init(_ text: String) { exposed = text }

  /// Another program's text with the secret removed, even next to other characters. A secret of a few letters stays: it
  /// hides nothing, and ordinary words contain it.
  public func redacted(in text: String) -> String {
    guard exposed.utf8.count >= 6 else { return text }
    return String(text.unicodeScalars.replacing(exposed.unicodeScalars, with: "[redacted]".unicodeScalars))
  }
}

extension Secret {
  /// Compares in a time that depends only on the lengths, so that nobody can guess a secret one byte after the other.
  public static func == (left: Secret, right: Secret) -> Bool {
    let (left, right) = (Array(left.exposed.utf8), Array(right.exposed.utf8))
    return left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }

  /// 128 random bits as hexadecimal digits.
  public static func random() -> Secret {
    var generator = SystemRandomNumberGenerator()
    return Secret((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal)
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "[redacted]" }
  public var debugDescription: String { "[redacted]" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
