/// Renders findings for a terminal: place, message, the source line with carets below it, notes and help.
public struct TextRenderer: Sendable {
  private let colored: Bool

  public init(colored: Bool = false) { self.colored = colored }

  public func render(_ diagnostics: [Diagnostic]) -> PrintableText {
    diagnostics.sortedForReading().map(block).joined()
  }

  private func block(_ diagnostic: Diagnostic) -> PrintableText {
    let paint = diagnostic.severity.paint
    let word = painted("\(diagnostic.severity.rawValue)[\(diagnostic.code)]", paint)
    var text: PrintableText = "\(place(of: diagnostic.range))\(word): \(diagnostic.message)\n"
    if let range = diagnostic.range { text += snippet(range, paint) }
    for note in diagnostic.notes {
      text += "  \(painted("note", .cyan)): \(place(of: note.range))\(note.message)\n"
      if let range = note.range { text += snippet(range, .cyan) }
    }
    if let help = diagnostic.help { text += "  \(painted("help", .green)): \(help)\n" }
    return text
  }

  private func place(of range: SourceRange?) -> PrintableText {
    guard let range else { return "" }
    return "\(range.source.name):\(range.start.line):\(range.start.column): "
  }

  /// The first line of the range with carets below it. A tab is shown as one space, so that the carets are aligned.
  private func snippet(_ range: SourceRange, _ paint: PrintableText.Paint) -> PrintableText {
    guard !range.source.isConfidential, !range.source.bytes.isEmpty else { return "" }
    let start = range.start.offset
    let piece = range.source.lineRange(around: start, reach: TextRenderer.limit * 4)
    // The range may begin after the end of the line.
    let split = min(start, piece.upperBound)
    let beforeCount = range.source.text(in: piece.lowerBound..<split).unicodeScalars.count
    let marked = range.source.text(in: split..<max(split, min(range.end.offset, piece.upperBound)))
    let line = Array(range.source.text(in: piece).maskingUserInfo.printableLine.unicodeScalars)
    let shown = TextRenderer.window(around: beforeCount, of: line)
    let last = beforeCount + marked.unicodeScalars.count
    let width = max(1, min(last, shown.offset + shown.text.count) - beforeCount)
    let number = String(range.start.line)
    let margin = String(repeating: " ", count: number.count)
    let indent = String(repeating: " ", count: beforeCount - shown.offset + start - split)
    let text = String(String.UnicodeScalarView(shown.text))
    let carets = painted("\(String(repeating: "^", count: width))", paint)
    return
      " \(painted("\(number) |", .dim)) \(text)\n \(painted("\(margin) |", .dim)) \(indent)\(carets)\n"
  }

  /// The maximum number of columns shown.
  private static let limit = 160

  /// The part of a long line around the range.
  private static func window(around column: Int, of line: [Unicode.Scalar]) -> (
    text: [Unicode.Scalar], offset: Int
  ) {
    guard line.count > limit else { return (line, 0) }
    let offset = max(0, min(column - limit / 2, line.count - limit))
    return (Array(line[offset...].prefix(limit)), offset)
  }

  private func painted(_ text: PrintableText, _ paint: PrintableText.Paint) -> PrintableText {
    colored ? text.painted(paint) : text
  }
}

extension Diagnostic.Severity {
  fileprivate var paint: PrintableText.Paint {
    switch self {
    case .error: .red
    case .warning: .yellow
    case .note: .cyan
    }
  }
}
