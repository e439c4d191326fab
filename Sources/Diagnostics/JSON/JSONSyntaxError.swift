package struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One sentence without a full stop.
  package let message: String
  /// Byte offsets of the offending text.
  package let range: Range<Int>

  package let kind: Kind

  let quoted: String?

  package enum Kind: Sendable {
    case syntax
    /// The text is nested deeper than ``JSONLimits/depth``.
    case tooDeep
    /// The values need more memory than ``JSONLimits/weight``.
    case tooMuch
  }

  package init(_ message: String, at range: Range<Int>, _ kind: Kind = .syntax, quoted: String? = nil) {
    self.quoted = quoted
    self.message = message
    self.range = range
    self.kind = kind
  }

  package var description: String { "invalid JSON at byte \(range.lowerBound): \(message)" }

  /// The error as a finding in `source`, with the caller's code. Quotes of a confidential text are left out.
  package func diagnostic(in source: SourceText, code: String) -> Diagnostic {
    let said = source.isConfidential ? quoted.map { message.replacing("'\($0)'", with: "[redacted]") } : nil
    return Diagnostic(code, .error, said ?? message, at: source.range(range))
  }
}

/// Limits of the JSON parser, which bound the memory for hostile input, and how strictly it reads.
package struct JSONLimits: Sendable {
  /// The maximum nesting of arrays and objects.
  package var depth: Int
  /// The maximum memory estimate, in bytes, of the values kept at once: ``valueWeight`` for each value, plus the
  /// UTF-8 length of its text.
  package var weight = Int.max
  /// The maximum length of a string in UTF-8 bytes; the rest is dropped.
  package var text = Int.max
  /// Accepts common mistakes of programs that build JSON from strings: raw control characters and unknown escapes
  /// in strings, a comma after the last element, a repeated key.
  package var isLenient = false
  /// Reads a number that no `Int64` holds as its text, because a `Double` may not hold it exactly.
  package var keepsTextOfNumbers = false

  /// The approximate number of bytes of a value without its text.
  package static let valueWeight = 64

  package init(depth: Int = 128) { self.depth = depth }
}
