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

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "[redacted]" }
  public var debugDescription: String { "[redacted]" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
