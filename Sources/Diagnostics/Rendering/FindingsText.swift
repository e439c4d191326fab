extension TextRenderer {
  /// Findings: place, message, the source line with carets below it, notes and help.
  package func render(_ diagnostics: [Diagnostic]) -> PrintableText {
    diagnostics.sortedForReading().map(block).joined()
  }

  private func block(_ diagnostic: Diagnostic) -> PrintableText {
    let paint = diagnostic.severity.style
    let word = "\(diagnostic.severity.rawValue)[\(diagnostic.code)]"
    var text = line("\(place(of: diagnostic.range))\(word, paint): \(diagnostic.message)")
    if let range = diagnostic.range { text += snippet(range, paint) }
    for note in diagnostic.notes {
      text += line("\("note", .address): \(place(of: note.range))\(note.message)", 2)
      if let range = note.range { text += snippet(range, .address) }
    }
    if let help = diagnostic.help { text += line("\("help", .good): \(help)", 2) }
    return text
  }

  private func place(of range: SourceRange?) -> String {
    guard let range else { return "" }
    return "\(range.source.name):\(range.start.line):\(range.start.column): "
  }

  /// The first line of the range with carets below it. A tab is shown as one space, so that the carets are aligned.
  private func snippet(_ range: SourceRange, _ paint: StyledText.Style) -> PrintableText {
    guard !range.source.isConfidential, !range.source.bytes.isEmpty else { return "" }
    let start = range.start.offset
    let piece = range.source.lineRange(around: start, reach: maxColumns * 4)
    // The range may begin after the end of the line.
    let split = min(start, piece.upperBound)
    let beforeCount = range.source.text(in: piece.lowerBound..<split).unicodeScalars.count
    let marked = range.source.text(in: split..<max(split, min(range.end.offset, piece.upperBound)))
    let line = Array(range.source.text(in: piece).maskingSecrets.printableLine.unicodeScalars)
    let shown = window(around: beforeCount, of: line, digits: String(range.start.line).count)
    let last = beforeCount + marked.unicodeScalars.count
    let width = max(1, min(last, shown.offset + shown.text.count) - beforeCount)
    let number = String(range.start.line)
    let margin = String(repeating: " ", count: number.count)
    let indent = String(repeating: " ", count: beforeCount - shown.offset + start - split)
    let text = String(String.UnicodeScalarView(shown.text))
    let carets = StyledText(String(repeating: "^", count: width), paint)
    return style.text(" \("\(number) |", .dim) \(text)") + "\n"
      + style.text(" \("\(margin) |", .dim) \(indent)\(carets)") + "\n"
  }

  private var maxColumns: Int { min(160, max(40, style.width ?? 160)) }

  private func window(around column: Int, of line: [Unicode.Scalar], digits: Int) -> (
    text: [Unicode.Scalar], offset: Int
  ) {
    let limit = style.width == nil ? maxColumns : maxColumns - digits - 4
    guard line.count > limit else { return (line, 0) }
    let offset = max(0, min(column - limit / 2, line.count - limit))
    var text = Array(line[offset...].prefix(limit))
    if offset > 0 { text[0] = "…" }
    if offset + limit < line.count { text[limit - 1] = "…" }
    return (text, offset)
  }
}

extension Diagnostic.Severity {
  fileprivate var style: StyledText.Style {
    switch self {
    case .error: .bad
    case .warning: .caution
    case .note: .address
    }
  }
}
