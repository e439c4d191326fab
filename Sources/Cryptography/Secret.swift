/// A secret text, such as a token. Printing, dumping or logging it shows only `[redacted]`.
public struct Secret: Sendable, Hashable {
  /// The text itself. Only for the request that needs it; never for output, logs or files.
  public let exposed: String

  public init(_ text: String) { exposed = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "[redacted]" }
  public var debugDescription: String { "[redacted]" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
