/// A line for people, whose parts have a meaning that each format shows in its own way: a terminal with colors, Markdown
/// and HTML with markup.
///
/// The renderers clean and escape all of it, so that a value from a feed can neither control a terminal nor become
/// markup.
public struct StyledText: Sendable, Hashable {
  /// What a part of the line is.
  public enum Style: Sendable, Hashable {
    case plain
    /// A name or a heading.
    case strong
    /// Less important than the rest.
    case dim
    case good, caution, bad
    /// An address to follow.
    case address
    /// A text to type or to paste.
    case code
  }

  /// A part of the line in one style.
  struct Span: Sendable, Hashable {
    var text: String
    var style: Style
  }

  private(set) var spans: [Span]

  public init(_ text: String, _ style: Style = .plain) { spans = [Span(text: text, style: style)] }

  public var isEmpty: Bool { spans.allSatisfy(\.text.isEmpty) }
  /// The text without its styles.
  public var plain: String { spans.map(\.text).joined() }

  public static func + (left: Self, right: Self) -> Self {
    var text = left
    text.spans += right.spans
    return text
  }
  public static func += (left: inout Self, right: Self) { left.spans += right.spans }

  /// The same with a style for all of it.
  public func styled(_ style: Style) -> StyledText { StyledText(plain, style) }
}

extension StyledText: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(value) }
  public init(stringInterpolation: Interpolation) { spans = stringInterpolation.spans }

  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var spans: [Span] = []

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { spans.append(Span(text: literal, style: .plain)) }
    }
    public mutating func appendInterpolation(_ text: StyledText) { spans += text.spans }
    public mutating func appendInterpolation(
      _ value: some CustomStringConvertible, _ style: Style = .plain
    ) {
      spans.append(Span(text: value.description, style: style))
    }
  }
}

extension Sequence<StyledText> {
  public func joined(separator: StyledText = "") -> StyledText {
    var text: StyledText = ""
    for (index, part) in enumerated() { text += index == 0 ? part : separator + part }
    return text
  }
}
