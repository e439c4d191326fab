/// A line for people, whose parts have a meaning that each format shows in its own way: a terminal with colors, Markdown
/// and HTML with markup.
///
/// The renderers clean and escape all of it, so that a value from a feed can neither control a terminal nor become
/// markup.
package struct StyledText: Sendable, Hashable, JoinableText {
  package enum Style: Sendable, Hashable {
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

  struct Span: Sendable, Hashable {
    var text: String
    var style: Style
  }

  private(set) var spans: [Span]

  package init(_ text: String, _ style: Style = .plain) { spans = [Span(text: text, style: style)] }

  package var isEmpty: Bool { spans.allSatisfy(\.text.isEmpty) }
  package var plain: String { spans.map(\.text).joined() }

  func mapped(_ change: (String) -> String) -> StyledText {
    var text = self
    for (index, span) in spans.enumerated() {
      // Hardly a text changes, and the others of a long report need no copy.
      let changed = change(span.text)
      if changed != span.text { text.spans[index].text = changed }
    }
    return text
  }

  package static func + (left: Self, right: Self) -> Self { copy(of: left) { $0.spans += right.spans } }
  package static func += (left: inout Self, right: Self) { left.spans += right.spans }

  package func styled(_ style: Style) -> StyledText { StyledText(plain, style) }
}

extension StyledText: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self.init(value) }
  package init(stringInterpolation: Interpolation) { spans = stringInterpolation.spans }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var spans: [Span] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { spans.append(Span(text: literal, style: .plain)) }
    }
    package mutating func appendInterpolation(_ text: StyledText) { spans += text.spans }
    package mutating func appendInterpolation(
      _ value: some CustomStringConvertible, _ style: Style = .plain
    ) {
      spans.append(Span(text: value.description, style: style))
    }
  }
}
