/// Text that is safe to print to a terminal, log or CI job: control codes and line ends in it come from this tool,
/// never from input.
///
/// Literals stay as they are; an interpolated `String` is cleaned (`String.printableLine`). The console accepts
/// only this type, so printing an uncleaned string does not compile.
public struct PrintableText: Sendable, Hashable, CustomStringConvertible {
  public private(set) var description: String

  /// Only for text that this module has cleaned itself.
  init(safe text: String) { description = text }

  /// Input text, cleaned for one line.
  public init(_ text: String) { description = text.printableLine }

  /// A document of several lines, such as JSON, XML or a schema. Characters that would control a terminal or a CI
  /// runner are replaced.
  public init(document: String) { description = PrintableCharacters.cleaned(document, keepsLines: true) }

  /// Input lines, each cleaned and indented.
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

  /// Literals are `StaticString`, so that no other text can be passed as one.
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
  /// A terminal color or style: the parameter of its escape sequence.
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
