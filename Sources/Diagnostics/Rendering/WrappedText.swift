extension PrintableText {
  /// The text with each line that is wider than `width` broken between words. What follows is indented by `hanging`
  /// columns more than the line. A longer word, such as an address, stays whole, and so does a command, which can then be
  /// copied.
  ///
  /// - Parameter width: columns; `nil` for no limit.
  package func wrapped(to width: Int?, hanging: Int = 2) -> PrintableText {
    guard let width, description.utf8.count > width else { return self }
    let lines = description.split(separator: "\n", omittingEmptySubsequences: false)
    return PrintableText(
      safe: lines.map { $0.wrapped(to: width, hanging: hanging) }.joined(separator: "\n"))
  }
}

private let reset = "\u{1B}[0m"

extension Substring {
  fileprivate func wrapped(to width: Int, hanging: Int) -> String {
    guard terminalColumns > width else { return String(self) }
    let start = prefix { $0 == " " }
    let indent = Swift.min(start.count + hanging, width / 2)
    var (text, columns, blanks, isLineStart) = (String(start), start.count, 0, true)
    // A color ends with its line: what is printed to the right of it has another.
    var color = ""
    for word in self[start.endIndex...].wordsAndCommands {
      // Blanks in a row are empty words between them.
      guard !word.isEmpty else {
        blanks += 1
        continue
      }
      let length = word.terminalColumns
      if !isLineStart, columns + blanks + length > width {
        text += (color.isEmpty ? "" : reset) + "\n" + String(repeating: " ", count: indent) + color
        columns = indent
      } else {
        text += String(repeating: " ", count: blanks)
        columns += blanks
      }
      text += word
      columns += length
      if let last = word.lastIndex(of: "\u{1B}") {
        let sequence = word[last...].prefix { $0 != "m" } + "m"
        color = sequence == reset ? "" : String(sequence)
      }
      blanks = 1
      isLineStart = false
    }
    return text
  }

  /// The words, of which those of a command are one: from the tool's name to a quote, a semicolon or the end.
  fileprivate var wordsAndCommands: [Substring] {
    var units: [Substring] = []
    var isCommand = false
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let first = word.utf8.first ?? UInt8(ascii: "[")
      let isName = units.last?.hasSuffix("celestra-admin") == true && (0x61...0x7A).contains(first)
      isCommand = isName || isCommand && !"[<".utf8.contains(first)
      if isCommand, let command = units.popLast() {
        units.append(self[command.startIndex..<word.endIndex])
        isCommand = !["'", ";", ",", "."].contains { word.hasSuffix($0) }
      } else {
        units.append(word)
      }
    }
    return units
  }
}

extension StringProtocol {
  /// The columns that a terminal needs for the text: two for a character of East Asian width or an emoji, none for a mark
  /// above or below a letter, and none for the sequences that color it.
  package var terminalColumns: Int {
    // Without them each byte is a column.
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return utf8.count }
    var columns = 0
    var isSequence = false
    for character in self {
      if isSequence {
        isSequence = character != "m"
      } else if character == "\u{1B}" {
        isSequence = true
      } else {
        let scalars = character.unicodeScalars
        columns += scalars.contains(where: \.isWide) ? 2 : Swift.max(1, scalars.count { !$0.isMark })
      }
    }
    return columns
  }
}

extension Unicode.Scalar {
  /// A mark that takes no column of its own, or a character that is not shown.
  fileprivate var isMark: Bool {
    [.nonspacingMark, .enclosingMark, .format].contains(properties.generalCategory)
  }

  /// East Asian Wide and Fullwidth (Unicode Standard Annex 11), and pictures.
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      true
    default: properties.isEmojiPresentation
    }
  }
}
