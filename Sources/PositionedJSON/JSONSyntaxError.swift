public import Diagnostics

/// What is wrong with a JSON text, and where.
public struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One sentence in plain words, without a full stop.
  public let message: String
  /// Byte offsets of the offending text.
  public let range: Range<Int>

  public init(_ message: String, at range: Range<Int>) {
    self.message = message
    self.range = range
  }

  public var description: String { "invalid JSON at byte \(range.lowerBound): \(message)" }

  /// The error as a finding in `source`, under a code of the caller's choosing.
  public func diagnostic(in source: SourceText, code: String) -> Diagnostic {
    Diagnostic(code, .error, message, at: source.range(range))
  }
}

/// Bounds on what is accepted, so that hostile input costs no more than its size.
public struct JSONLimits: Sendable {
  /// Nested arrays and objects, at most.
  public var depth: Int

  public init(depth: Int = 128) { self.depth = depth }
}
