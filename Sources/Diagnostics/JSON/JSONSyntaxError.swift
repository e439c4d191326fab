/// What is wrong with a JSON text, and where.
public struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One sentence in plain words, without a full stop.
  public let message: String
  /// Byte offsets of the offending text.
  public let range: Range<Int>

  public let kind: Kind

  /// What the message quotes of the text, between single quotes.
  let quoted: String?

  /// What kept the text from being read.
  public enum Kind: Sendable {
    /// It is not JSON.
    case syntax
    /// It is nested deeper than ``JSONLimits/depth``.
    case tooDeep
    /// It holds more than ``JSONLimits/weight``.
    case tooMuch
  }

  public init(_ message: String, at range: Range<Int>, _ kind: Kind = .syntax) {
    self.init(message, at: range, kind, quoted: nil)
  }

  init(_ message: String, at range: Range<Int>, _ kind: Kind = .syntax, quoted: String?) {
    self.quoted = quoted
    self.message = message
    self.range = range
    self.kind = kind
  }

  public var description: String { "invalid JSON at byte \(range.lowerBound): \(message)" }

  /// The error as a finding in `source`, under a code of the caller's choosing. What it quotes of a confidential text
  /// is left out.
  public func diagnostic(in source: SourceText, code: String) -> Diagnostic {
    let said = source.isConfidential ? quoted.map { message.replacing("'\($0)'", with: "[redacted]") } : nil
    return Diagnostic(code, .error, said ?? message, at: source.range(range))
  }
}

/// Bounds on what is accepted, so that hostile input costs no more than its size, and how strictly it is read.
public struct JSONLimits: Sendable {
  /// Nested arrays and objects, at most.
  public var depth: Int
  /// What values may weigh that are held at once: each ``valueWeight``, and its text in UTF-8 bytes.
  public var weight = Int.max
  /// UTF-8 bytes kept of one string; the rest is dropped.
  public var text = Int.max
  /// Reads over what programs get wrong that put JSON together from texts: raw control characters and unknown escapes
  /// in strings, a comma after the last element, a name given twice.
  public var isLenient = false

  /// About the bytes that a value takes which is no text.
  public static let valueWeight = 64

  public init(depth: Int = 128) { self.depth = depth }
}
