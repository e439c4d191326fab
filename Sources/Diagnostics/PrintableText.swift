/// Text that is safe to print to a terminal, log or CI job: control codes and line ends in it come from this tool,
/// never from input.
///
/// Literals stay as they are; an interpolated `String` is cleaned (`String.printableLine`). The console accepts
/// only this type, so printing an uncleaned string does not compile.
package struct PrintableText: Sendable, Hashable, CustomStringConvertible, JoinableText {
  package private(set) var description: String

  /// Only for text that this module has cleaned itself, and documents that no terminal gets.
  init(safe text: String) { description = text }

  package init(_ text: String) { description = text.printableLine }

  /// A document of several lines, such as JSON, XML or a schema. Characters that would control a terminal or a CI
  /// runner are replaced; the rest stays exact.
  package init(document: String) { description = PrintableCharacters.cleaned(document, keepsLines: true) }

  package var isEmpty: Bool { description.isEmpty }

  /// - Parameter change: adds nothing but cleaned text of one line.
  package func mapped(_ change: (String) -> String) -> PrintableText {
    PrintableText(safe: change(description))
  }

  package static func + (left: consuming Self, right: Self) -> Self {
    left += right
    return left
  }
  package static func += (left: inout Self, right: Self) { left.description += right.description }
}

extension PrintableText: ExpressibleByStringInterpolation {
  package init(stringLiteral value: StaticString) { description = value.description }
  package init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

  /// Literals are `StaticString`, so that no other text can be passed as one.
  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
    package mutating func appendInterpolation(_ text: PrintableText) { self.text += text.description }
    package mutating func appendInterpolation(_ text: some CustomStringConvertible) {
      self.text += text.description.printableLine
    }
  }
}

/// A text of one kind, to which only texts of the same kind can be added.
package protocol JoinableText: ExpressibleByStringLiteral {
  static func += (left: inout Self, right: Self)
}

extension Sequence where Element: JoinableText {
  package func joined(separator: Element = "") -> Element {
    enumerated().reduce(into: "") { text, part in
      if part.offset > 0 { text += separator }
      text += part.element
    }
  }
}

extension String {
  /// The text cleaned for one line of a terminal, log or CI job, so that it cannot control them, and without the secrets of
  /// URLs (``withoutSecrets``).
  ///
  /// Control characters, line separators and bidirectional controls become U+FFFD, line feeds and tabs a space.
  /// Joiners stay, because scripts and emoji need them. GitHub's runner reads a line that begins with `::` or
  /// contains `##[` as a command; one character of these becomes U+FFFD.
  package var printableLine: String { PrintableCharacters.cleaned(withoutSecrets, keepsLines: false) }

  /// Whether the text can be shown in one line as it is, apart from the secrets of URLs.
  package var isPrintableLine: Bool { PrintableCharacters.cleaned(self, keepsLines: false) == self }

  /// The text as an element of a list in one line: as JSON writes it where it could be read as several elements.
  package var asListElement: String {
    let isPlain = !isEmpty && isPrintableLine && first != " " && last != " "
    return isPlain && !utf8.contains(where: ",[]\"".utf8.contains) ? self : JSONValue.string(self).text()
  }
}

/// Replaces characters that control a terminal or a CI runner.
enum PrintableCharacters {
  private static let replacement: Unicode.Scalar = "\u{FFFD}"

  /// - Parameter keepsLines: keeps line ends and tabs, for a document of several lines.
  static func cleaned(_ text: String, keepsLines: Bool) -> String {
    guard mayNeedCleaning(text, keepsLines: keepsLines) else { return text }
    var scalars = text.unicodeScalars.map { shown($0, keepsLines: keepsLines) }
    if keepsLines { restoreLineEnds(&scalars, of: text) }
    breakCommands(&scalars)
    return String(String.UnicodeScalarView(scalars))
  }

  /// Whether the text may need cleaning. Looks at bytes only, which is fast for text that needs none.
  private static func mayNeedCleaning(_ text: String, keepsLines: Bool) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      bytes.indices.contains { place in
        switch bytes[place] {
        case 0x09, 0x0A: !keepsLines
        case 0..<0x20, 0x7F: true
        case 0xC2: bytes[place + 1] < 0xA0
        case 0xD8: bytes[place + 1] == 0x9C
        case 0xE2: bytes[place + 1] == 0x80 || bytes[place + 1] == 0x81
        case UInt8(ascii: "["): place > 0 && bytes[place - 1] == UInt8(ascii: "#")
        case UInt8(ascii: ":"): place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: ":")
        default: false
        }
      }
    }
  }

  private static func shown(_ scalar: Unicode.Scalar, keepsLines: Bool) -> Unicode.Scalar {
    if scalar == "\n" || scalar == "\t" { return keepsLines ? scalar : " " }
    return scalar.isUnprintable ? replacement : scalar
  }

  /// Keeps carriage returns that are part of CRLF.
  private static func restoreLineEnds(_ scalars: inout [Unicode.Scalar], of text: String) {
    var previous: Unicode.Scalar?
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if scalar == "\n", previous == "\r" { scalars[index - 1] = "\r" }
      previous = scalar
    }
  }

  /// Breaks GitHub's workflow commands. The runner ignores white space before `::` and finds `##[` anywhere in a
  /// line.
  private static func breakCommands(_ scalars: inout [Unicode.Scalar]) {
    var isAtStart = true
    for index in scalars.indices {
      let next = index + 1 < scalars.endIndex ? scalars[index + 1] : nil
      if isAtStart, scalars[index] == ":", next == ":" { scalars[index] = replacement }
      if scalars[index] == "[", index > 1, scalars[index - 1] == "#", scalars[index - 2] == "#" {
        scalars[index] = replacement
      }
      isAtStart = scalars[index] == "\n" || (isAtStart && scalars[index].properties.isWhitespace)
    }
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character, a line separator, or a bidirectional control.
  package var isUnprintable: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029: true
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x206F: true
    default: false
    }
  }
}

extension StringProtocol {
  package var trimmingWhitespace: String {
    guard let start = firstIndex(where: { !$0.isWhitespace }),
      let end = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }
}

/// A count with its noun in the singular or plural: `1 record`, `2 records`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// The first of some names, and how many others there are: `a, b and 3 more`.
package func listed(_ names: some Collection<String>, upTo count: Int) -> String {
  names.prefix(count).joined(separator: ", ")
    + (names.count > count ? " and \(names.count - count) more" : "")
}
