/// A text that opens something: a token, a pass phrase. However it is printed, dumped or logged, it stays hidden.
public struct Secret: Sendable, Hashable {
  /// The text itself: for the request that needs it, and for nothing that a person or a file gets to see.
  public let exposed: String

  public init(_ text: String) { exposed = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "[redacted]" }
  public var debugDescription: String { "[redacted]" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
