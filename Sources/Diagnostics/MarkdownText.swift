/// Markdown for GitHub: comments on pull requests and summaries of jobs.
///
/// Literals in the source code are markup. An interpolated `String` is escaped: it cannot become markup, a link, a
/// mention or a new line.
public struct MarkdownText: Sendable, Hashable, CustomStringConvertible {
  public private(set) var description: String

  public var isEmpty: Bool { description.isEmpty }

  public static func + (left: Self, right: Self) -> Self {
    var text = left
    text += right
    return text
  }
  public static func += (left: inout Self, right: Self) { left.description += right.description }
}

extension MarkdownText: ExpressibleByStringInterpolation {
  public init(stringLiteral value: StaticString) { description = value.description }
  public init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

  /// Escapes interpolated values, and takes literals as Markdown.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    public mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
    public mutating func appendInterpolation(_ text: MarkdownText) { self.text += text.description }
    public mutating func appendInterpolation(_ text: some CustomStringConvertible) {
      self.text += text.description.printableLine.escaped(asMarkdown: true)
    }
    /// A text inside an HTML element of a block, such as `summary`: Markdown is not read there, so that a backslash
    /// would be shown.
    public mutating func appendInterpolation(html text: String) {
      self.text += text.printableLine.escaped(asMarkdown: false)
    }
    public mutating func appendInterpolation(code text: String) {
      self.text += text.printableLine.markdownCode
    }
    /// Inserts text unescaped, for a fenced block. The text must not contain the end of the fence.
    package mutating func appendInterpolation(verbatim text: String) { self.text += text }
    /// A code span in a cell of a table, where GitHub splits the cells first.
    public mutating func appendInterpolation(tableCode text: String) {
      let scalars = text.printableLine.unicodeScalars.flatMap { $0 == "|" ? ["\\", $0] : [$0] }
      self.text += String(String.UnicodeScalarView(scalars)).markdownCode
    }
  }
}

extension Sequence<MarkdownText> {
  public func joined(separator: MarkdownText = "") -> MarkdownText {
    var text: MarkdownText = ""
    for (index, part) in enumerated() { text += index == 0 ? part : separator + part }
    return text
  }
}

extension PrintableText {
  public init(_ markdown: MarkdownText) { self.init(document: markdown.description) }
}

extension String {
  /// Escapes Unicode scalars, because a special character and a following combining mark form a different
  /// `Character`.
  ///
  /// GitHub finds mentions, issue numbers and URLs after it has processed escapes; a zero-width space keeps it from
  /// linking them.
  fileprivate func escaped(asMarkdown: Bool) -> String {
    let scalars = Array(unicodeScalars)
    var escaped = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      switch scalar {
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "\\", "`", "*", "_", "[", "]", "|", "~", "!", "$":
        escaped.append(contentsOf: asMarkdown ? ["\\", scalar] : [scalar])
      case "#":
        escaped.append(contentsOf: asMarkdown ? ["\\", scalar, zeroWidthSpace] : [scalar, zeroWidthSpace])
      case "@": escaped.append(contentsOf: [scalar, zeroWidthSpace])
      case ":" where scalars[(index + 1)...].first == "/":
        escaped.append(contentsOf: [scalar, zeroWidthSpace])
      case "." where scalars[..<index].endsLikeAddress: escaped.append(contentsOf: [zeroWidthSpace, scalar])
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// A code span; its fence is longer than any run of backticks in the text.
  fileprivate var markdownCode: String {
    let fence = String(repeating: "`", count: 1 + longestRun(of: "`"))
    let room = fence.utf8.count > 1 ? " " : ""
    return fence + room + self + room + fence
  }

  private func longestRun(of wanted: Unicode.Scalar) -> Int {
    var (longest, current) = (0, 0)
    for scalar in unicodeScalars {
      current = scalar == wanted ? current + 1 : 0
      longest = max(longest, current)
    }
    return longest
  }
}

private let zeroWidthSpace: Unicode.Scalar = "\u{200B}"

extension ArraySlice<Unicode.Scalar> {
  /// Whether the text ends with `www`: with a dot after it, GitHub would link it.
  fileprivate var endsLikeAddress: Bool { count > 2 && suffix(3).allSatisfy { $0 == "w" || $0 == "W" } }
}
