/// Markdown for GitHub: comments on pull requests and summaries of jobs. Literals in the source code are markup. An
/// interpolated `String` is escaped: it cannot become markup, a link, a mention or a new line.
package struct MarkdownText: Sendable, Hashable, CustomStringConvertible, JoinableText {
  package private(set) var description: String

  package static func + (left: Self, right: Self) -> Self {
    var text = left
    text += right
    return text
  }
  package static func += (left: inout Self, right: Self) { left.description += right.description }
}

extension MarkdownText: ExpressibleByStringInterpolation {
  package init(stringLiteral value: StaticString) { description = value.description }
  package init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
    package mutating func appendInterpolation(_ text: MarkdownText) { self.text += text.description }
    package mutating func appendInterpolation(_ text: some CustomStringConvertible) {
      self.text += text.description.printableLine.escaped(asMarkdown: true)
    }
    /// A text inside an HTML element of a block, such as `summary`: Markdown is not read there, so that a backslash
    /// would be shown.
    package mutating func appendInterpolation(html text: String) {
      self.text += text.printableLine.escaped(asMarkdown: false)
    }
    package mutating func appendInterpolation(code text: String) {
      self.text += text.printableLine.markdownCode
    }
    /// Inserts text unescaped, for a fenced block. The text must not contain the end of the fence.
    package mutating func appendInterpolation(verbatim text: String) { self.text += text }
    /// A code span in a cell of a table, where GitHub splits the cells first.
    package mutating func appendInterpolation(tableCode text: String) {
      let scalars = text.printableLine.unicodeScalars.flatMap { $0 == "|" ? ["\\", $0] : [$0] }
      self.text += String(String.UnicodeScalarView(scalars)).markdownCode
    }
  }
}

extension PrintableText {
  package init(_ markdown: MarkdownText) { self.init(document: markdown.description) }
}

extension String {
  /// Escapes Unicode scalars, because a special character and a following combining mark form a different
  /// `Character`.
  ///
  /// GitHub finds mentions, issue numbers and URLs after it has processed escapes. In Markdown, a URL becomes a code span,
  /// which is never linked and can be copied; elsewhere a zero-width space keeps GitHub from linking.
  fileprivate func escaped(asMarkdown: Bool) -> String {
    let scalars = Array(unicodeScalars)
    var escaped = String.UnicodeScalarView()
    var index = 0
    while index < scalars.count {
      if asMarkdown, let end = scalars.endOfURL(from: index) {
        escaped.append(contentsOf: ["`"] + scalars[index..<end] + ["`"])
        index = end
      } else {
        escaped.append(contentsOf: scalars.escaped(at: index, asMarkdown: asMarkdown))
        index += 1
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

extension [Unicode.Scalar] {
  fileprivate func escaped(at index: Int, asMarkdown: Bool) -> [Unicode.Scalar] {
    let scalar = self[index]
    switch scalar {
    case "<": return Array("&lt;".unicodeScalars)
    case ">": return Array("&gt;".unicodeScalars)
    case "&": return Array("&amp;".unicodeScalars)
    case "\\", "`", "*", "_", "[", "]", "|", "~", "!", "$": return asMarkdown ? ["\\", scalar] : [scalar]
    case "#": return asMarkdown ? ["\\", scalar, zeroWidthSpace] : [scalar, zeroWidthSpace]
    case "@": return [scalar, zeroWidthSpace]
    case ":" where self[(index + 1)...].starts(with: ["/", "/"]): return [scalar, zeroWidthSpace]
    case "." where self[..<index].endsLikeAddress: return [zeroWidthSpace, scalar]
    default: return [scalar]
    }
  }

  /// The end of the URL that begins at an index, without the punctuation of the sentence; `nil` if none begins there. After
  /// a backtick or a dollar sign, a code span would be another one, or a formula.
  fileprivate func endOfURL(from start: Int) -> Int? {
    if start > 0, self[start - 1].isURLWord || self[start - 1] == "`" || self[start - 1] == "$" { return nil }
    var end = start
    while end < count, self[end].isURLWord { end += 1 }
    guard end > start, self[start].isASCIILetter, self[end...].starts(with: [":", "/", "/"]) else {
      return nil
    }
    let host = end + 3
    end = host
    while end < count, self[end].isURLCharacter { end += 1 }
    while end > host, sentenceEnds.contains(self[end - 1]), !self[host..<end].endsWithClosedPair { end -= 1 }
    return end > host ? end : nil
  }
}

private let sentenceEnds: Set<Unicode.Scalar> = [".", ",", ";", ":", "!", "?", "'", ")", "]", "*", "_", "~"]
private let urlPunctuation: Set<Unicode.Scalar> = [
  "-", ".", "_", "~", ":", "/", "?", "#", "[", "]", "@", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";",
  "=", "%",
]

extension Unicode.Scalar {
  fileprivate var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

  /// A character of a URL's scheme (RFC 3986, section 3.1).
  fileprivate var isURLWord: Bool {
    isASCIILetter || ("0"..."9").contains(self) || self == "+" || self == "-" || self == "."
  }

  /// A character that a URL may have (RFC 3986, section 2); no backtick, no pipe and no space.
  fileprivate var isURLCharacter: Bool { isURLWord || urlPunctuation.contains(self) }
}

extension ArraySlice<Unicode.Scalar> {
  /// Whether the text ends with a bracket that it also opens, as `?key=[redacted]` does.
  fileprivate var endsWithClosedPair: Bool {
    let opening: Unicode.Scalar? = last == "]" ? "[" : last == ")" ? "(" : nil
    return opening.map { opening in count { $0 == opening } >= count { $0 == last } } ?? false
  }

  /// Whether the text ends with `www`: with a dot after it, GitHub would link it.
  fileprivate var endsLikeAddress: Bool { count > 2 && suffix(3).allSatisfy { $0 == "w" || $0 == "W" } }
}
