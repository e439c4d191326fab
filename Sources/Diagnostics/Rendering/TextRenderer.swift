/// Findings for a person: place, message, the line with a caret range under it, notes and help.
public struct TextRenderer: Sendable {
  private let colored: Bool

  public init(colored: Bool = false) { self.colored = colored }

  public func render(_ diagnostics: [Diagnostic]) -> String {
    diagnostics.sortedForReading().map(block).joined()
  }

  private func block(_ diagnostic: Diagnostic) -> String {
    let word = paint(diagnostic.severity.color, "\(diagnostic.severity.rawValue)[\(diagnostic.code)]")
    var text = "\(place(of: diagnostic.range))\(word): \(diagnostic.message.printable)\n"
    text += diagnostic.range.map { snippet($0, color: diagnostic.severity.color) } ?? ""
    for note in diagnostic.notes {
      text += "  \(paint("36", "note")): \(place(of: note.range))\(note.message.printable)\n"
      text += note.range.map { snippet($0, color: "36") } ?? ""
    }
    if let help = diagnostic.help { text += "  \(paint("32", "help")): \(help.printable)\n" }
    return text
  }

  private func place(of range: SourceRange?) -> String {
    guard let range else { return "" }
    return "\(range.source.name.printable):\(range.start.line):\(range.start.column): "
  }

  /// The first line of the range. A tab is shown as one space, so that carets stand under what they mean.
  private func snippet(_ range: SourceRange, color: String) -> String {
    guard !range.source.isConfidential else { return "" }
    let start = range.start.offset
    let piece = range.source.lineRange(around: start, reach: TextRenderer.limit * 4)
    // A place past the line's end has nothing of the line under it.
    let split = min(start, piece.upperBound)
    let beforeCount = range.source.text(in: piece.lowerBound..<split).unicodeScalars.count
    let marked = range.source.text(in: split..<max(split, min(range.end.offset, piece.upperBound)))
    let line = Array(range.source.text(in: piece).maskingUserInfo.printable.unicodeScalars)
    let shown = TextRenderer.window(around: beforeCount, of: line)
    let last = beforeCount + marked.unicodeScalars.count
    let width = max(1, min(last, shown.offset + shown.text.count) - beforeCount)
    let number = String(range.start.line)
    let margin = String(repeating: " ", count: number.count)
    let indent = String(repeating: " ", count: beforeCount - shown.offset + start - split)
    return """
       \(paint("2", "\(number) |")) \(String(String.UnicodeScalarView(shown.text)))
       \(paint("2", "\(margin) |")) \(indent)\(paint(color, String(repeating: "^", count: width)))

      """
  }

  /// Columns that are shown at most.
  private static let limit = 160

  /// A line too long for a screen is shown around the place that matters.
  private static func window(around column: Int, of line: [Unicode.Scalar]) -> (
    text: [Unicode.Scalar], offset: Int
  ) {
    guard line.count > limit else { return (line, 0) }
    let offset = max(0, min(column - limit / 2, line.count - limit))
    return (Array(line[offset...].prefix(limit)), offset)
  }

  private func paint(_ code: String, _ text: String) -> String {
    colored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension Diagnostic.Severity {
  fileprivate var color: String {
    switch self {
    case .error: "31"
    case .warning: "33"
    case .note: "36"
    }
  }
}
