/// Text that a terminal, a log or a CI job may have as it is: every control code and every line end in it is ours.
///
/// A literal is ours and stays as it is. A `String` put into one, or made into one, becomes part of a line
/// (`String.printableLine`). The console takes nothing else, so that what was not cleaned does not compile.
public struct PrintableText: Sendable, Hashable, CustomStringConvertible {
  public private(set) var description: String

  /// For text that this module has made safe itself.
  init(safe text: String) { description = text }

  /// Text from outside, in one line.
  public init(_ text: String) { description = text.printableLine }

  /// A document with line ends of its own, as JSON, XML or a schema; its writer has escaped what came from outside.
  /// Whatever is left in it that a terminal or a CI runner would obey is replaced.
  public init(document: String) { description = Printable.cleaned(document, keepsLines: true) }

  /// Lines from outside, each shown as a line below one of ours.
  public init(lines: some Sequence<String>, indent: PrintableText = "  ") {
    description = lines.map { "\(indent.description)\($0.printableLine)\n" }.joined()
  }

  public var isEmpty: Bool { description.isEmpty }

  public static func + (left: Self, right: Self) -> Self { Self(safe: left.description + right.description) }
  public static func += (left: inout Self, right: Self) { left.description += right.description }
}

extension PrintableText: ExpressibleByStringInterpolation {
  public init(stringLiteral value: StaticString) { description = value.description }
  public init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

  /// Literals are static strings, so that no other text can pass for one.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    public mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
    public mutating func appendInterpolation(_ text: PrintableText) { self.text += text.description }
    public mutating func appendInterpolation(_ text: some CustomStringConvertible) {
      self.text += text.description.printableLine
    }
  }
}

extension Sequence<PrintableText> {
  public func joined(separator: PrintableText = "") -> PrintableText {
    PrintableText(safe: map(\.description).joined(separator: separator.description))
  }
}

extension PrintableText {
  /// How a terminal shows a text: the parameters of the escape sequence that begins it.
  public enum Paint: Int, Sendable {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }

  public func painted(_ paint: Paint) -> PrintableText {
    PrintableText(safe: "\u{1B}[\(paint.rawValue)m\(description)\u{1B}[0m")
  }
}
