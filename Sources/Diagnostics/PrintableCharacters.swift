extension String {
  /// The text cleaned for one line of a terminal, log or CI job, so that it cannot control them.
  ///
  /// Control characters, line separators and bidirectional controls become U+FFFD, line feeds and tabs a space.
  /// Joiners stay, because scripts and emoji need them. GitHub's runner reads a line that begins with `::` or
  /// contains `##[` as a command; one character of these becomes U+FFFD.
  public var printableLine: String { PrintableCharacters.cleaned(self, keepsLines: false) }
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
  public var isUnprintable: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029: true
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x206F: true
    default: false
    }
  }
}
