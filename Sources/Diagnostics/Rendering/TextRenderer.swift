package struct TextRenderer: Sendable {
  let style: TerminalStyle

  package init(_ style: TerminalStyle = .plain) { self.style = style }

  func render(_ report: some Report, _ complete: (String) -> String) -> PrintableText {
    let title = report.hasTitleInText ? report.title : nil
    let body = report.hasBodyInText ? report.body.mappingTexts(complete) : ReportBody()
    let conclusion = render(report.conclusion.mappingTexts(complete))
    return (title.map { line($0.styled(.strong), 0) + "\n" } ?? "")
      + render(body) + (body.blocks.last?.isSection == true && !conclusion.isEmpty ? "\n" : "") + conclusion
  }

  func render(_ body: ReportBody, indent: Int = 0) -> PrintableText {
    // An empty line separates a section from what follows it.
    body.blocks.enumerated().map { index, block in
      render(block, indent) + (block.isSection && index < body.blocks.count - 1 ? "\n" : "")
    }.joined()
  }

  private func render(_ block: ReportBody.Block, _ indent: Int) -> PrintableText {
    switch block {
    case .line(let text): line(text, indent)
    case .item(let item): render(item, indent)
    case .table(let table): TableText(table, style, indent: indent).text
    case .findings(let findings): render(findings)
    case .section(let section):
      line(section.heading.styled(.strong), indent) + render(section.body, indent: indent + 2)
    case .document(let text): document(text)
    case .space: "\n"
    }
  }

  private func document(_ text: String) -> PrintableText {
    let lines = text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n"
    return style.keepsDocuments ? PrintableText(safe: lines) : PrintableText(document: lines)
  }

  private func render(_ item: ListItem, _ indent: Int) -> PrintableText {
    let mark = item.mark.map { StyledText("\($0.rawValue)", $0.style) + " " } ?? ""
    let below = indent + (item.mark == nil ? 2 : 4)
    return line(mark + item.text, indent, hanging: item.mark == nil ? 4 : 2)
      + item.details.map { line($0, below) }.joined()
  }

  func line(_ text: StyledText, _ indent: Int = 0, hanging: Int = 2) -> PrintableText {
    (blanks(indent) + style.text(text)).wrapped(to: style.width, hanging: hanging) + "\n"
  }
}

extension ReportBody.Block {
  fileprivate var isSection: Bool { if case .section = self { true } else { false } }
}

func blanks(_ count: Int) -> PrintableText {
  PrintableText(safe: String(repeating: " ", count: max(0, count)))
}

extension StyledText.Style {
  /// The parameter of the escape sequence with which a terminal shows it.
  fileprivate var color: Int? {
    switch self {
    case .plain, .code: nil
    case .strong: 1
    case .dim: 2
    case .bad: 31
    case .good: 32
    case .caution: 33
    case .address: 36
    }
  }
}

extension TerminalStyle {
  package func text(_ text: StyledText) -> PrintableText {
    text.spans.map { span in
      let cleaned = PrintableText(span.text)
      guard isColored, !cleaned.isEmpty, let color = span.style.color else { return cleaned }
      return PrintableText(safe: "\u{1B}[\(color)m\(cleaned.description)\u{1B}[0m")
    }.joined()
  }
}

extension ReportBody {
  package func text(_ style: TerminalStyle = .plain) -> PrintableText { TextRenderer(style).render(self) }
}

/// Renders a table for a terminal: columns side by side, with cells broken between words where the terminal is narrow, and
/// as a list of named values where it is too narrow for the columns.
private struct TableText {
  private static let gap = 2
  /// A column is not made narrower than this, nor than its longest word unless it is the last.
  private static let minWidth = 16

  private let table: Table
  private let style: TerminalStyle
  private let indent: Int
  private let rows: [[PrintableText]]

  init(_ table: Table, _ style: TerminalStyle, indent: Int) {
    self.table = table
    self.style = style
    self.indent = indent
    rows = table.rows.map { table.cells(of: $0).map(style.text) }
  }

  var text: PrintableText {
    guard let widths else { return list }
    var text: PrintableText = ""
    if table.hasHead {
      text += lines(table.columns.map { style.text(StyledText($0.title, .strong)) }, widths)
    }
    for (row, cells) in zip(table.rows, rows) { text += lines(cells, widths) + details(of: row) }
    return text
  }

  private func details(of row: Table.Row) -> PrintableText {
    row.details.map { (blanks(indent + 4) + style.text($0)).wrapped(to: style.width) + "\n" }.joined()
  }

  /// The widths of the columns; `nil` if the terminal is too narrow for them.
  private var widths: [Int]? {
    let texts = table.columns.indices.map { column in
      (table.hasHead ? [table.columns[column].title] : []) + rows.map { $0[column].description }
    }
    var widths = texts.map { $0.lazy.map(\.terminalColumns).max() ?? 0 }
    guard let width = style.width else { return widths }
    let room = width - indent - Self.gap * (widths.count - 1)
    let least = widths.indices.map { place in
      guard table.columns[place].alignment == .left else { return widths[place] }
      // A longer word in the last column disturbs nothing.
      let words = place == widths.count - 1 ? [] : texts[place].flatMap { $0.split(separator: " ") }
      return min(widths[place], max(Self.minWidth, words.lazy.map(\.terminalColumns).max() ?? 0))
    }
    guard least.reduce(0, +) <= room else { return nil }
    var excess = widths.reduce(0, +) - room
    while excess > 0,
      let widest = widths.indices.filter({ widths[$0] > least[$0] }).max(by: { widths[$0] < widths[$1] })
    {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  /// The cells side by side, in as many lines as the longest one takes.
  private func lines(_ cells: [PrintableText], _ widths: [Int]) -> PrintableText {
    let parts = zip(cells, widths).map { cell, width in
      cell.wrapped(to: style.width == nil ? nil : width, hanging: 0).description.split(
        separator: "\n", omittingEmptySubsequences: false)
    }
    var text = ""
    for line in 0..<(parts.map(\.count).max() ?? 0) {
      var columns = String(repeating: " ", count: indent)
      for (place, part) in parts.enumerated() {
        let cell = line < part.count ? String(part[line]) : ""
        let padding = String(repeating: " ", count: max(0, widths[place] - cell.terminalColumns))
        let isLast = place == parts.count - 1
        columns += table.columns[place].alignment == .right ? padding + cell : isLast ? cell : cell + padding
        if !isLast { columns += String(repeating: " ", count: Self.gap) }
      }
      while columns.last == " " { columns.removeLast() }
      text += columns + "\n"
    }
    return PrintableText(safe: text)
  }

  /// The first cell of each row, and below it the others with the titles of their columns, numbers in one line.
  private var list: PrintableText {
    zip(table.rows, rows).map { row, cells in
      var lines: [PrintableText] = [cells[0]]
      var isNumber = false
      for (column, cell) in zip(table.columns, cells).dropFirst() where !cell.isEmpty {
        let named = (column.title.isEmpty ? "" : style.text("\("\(column.title):", .dim) ")) + cell
        let joins = isNumber && column.alignment == .right
        if joins { lines[lines.count - 1] += ", " + named } else { lines.append(blanks(2) + named) }
        isNumber = column.alignment == .right
      }
      return lines.map { (blanks(indent) + $0).wrapped(to: style.width) + "\n" }.joined() + details(of: row)
    }.joined()
  }
}
