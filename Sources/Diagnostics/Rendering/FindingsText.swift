extension TextRenderer {
  /// Findings: place, message, the source line with carets below it, notes and help.
  package func render(_ diagnostics: [Diagnostic]) -> PrintableText {
    diagnostics.sortedForReading().map(block).joined()
  }

  private func block(_ diagnostic: Diagnostic) -> PrintableText {
    let paint = diagnostic.severity.style
    let word = "\(diagnostic.severity.rawValue)[\(diagnostic.code)]"
    var text = line("\(diagnostic.range?.prefix ?? "")\(word, paint): \(diagnostic.message)")
    if let range = diagnostic.range { text += snippet(range, paint) }
    for note in diagnostic.notes {
      text += line("\("note", .address): \(note.range?.prefix ?? "")\(note.message)", 2)
      if let range = note.range { text += snippet(range, .address) }
    }
    if let help = diagnostic.help { text += line("\("help", .good): \(help)", 2) }
    return text
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
    let line = range.source.text(in: piece).maskingSecrets.printableLine.unicodeScalars
    let number = String(range.start.line)
    let limit = style.width == nil ? maxColumns : maxColumns - number.count - 4
    var before = String(line.prefix(beforeCount))
    var rest = String(line.dropFirst(beforeCount))
    let width = String(rest.unicodeScalars.prefix(marked.unicodeScalars.count)).terminalColumns
    let columns = before.terminalColumns
    let hidden = min(columns - limit / 2, columns + rest.terminalColumns - limit)
    if hidden > 0 {
      before = "…" + String(beginning(of: before.reversed(), columns: columns - hidden - 1).reversed())
    }
    let room = limit - before.terminalColumns
    if rest.terminalColumns > room { rest = String(beginning(of: rest, columns: room - 1)) + "…" }
    let margin = String(repeating: " ", count: number.count)
    let indent = String(repeating: " ", count: before.terminalColumns + start - split)
    let carets = StyledText(String(repeating: "^", count: max(1, min(width, rest.terminalColumns))), paint)
    return style.text(" \("\(number) |", .dim) \(before)\(rest)") + "\n"
      + style.text(" \("\(margin) |", .dim) \(indent)\(carets)") + "\n"
  }

  private var maxColumns: Int { min(160, max(40, style.width ?? 160)) }

  /// What fits into a number of columns.
  private func beginning(of text: some Sequence<Character>, columns: Int) -> [Character] {
    var left = columns
    return text.prefix {
      left -= String($0).terminalColumns
      return left >= 0
    }
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
