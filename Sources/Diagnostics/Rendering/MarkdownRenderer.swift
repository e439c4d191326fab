/// Renders a report as Markdown for a comment on a pull request or for the summary of a job.
package struct MarkdownRenderer: Sendable {
  /// A longer section that may be folded is.
  private static let maxOpenLines = 12

  /// GitHub refuses comments of more than 65,536 characters; the rest is for other text in the comment.
  package static let maxCommentBytes = 56_000

  private let maxBytes: Int

  /// - Parameter maxBytes: what does not fit is left out, which the last line says.
  package init(maxBytes: Int?) { self.maxBytes = maxBytes ?? .max }

  func render(_ report: some Report, _ complete: (String) -> String) -> MarkdownText {
    var page = ReportBody()
    // Standard error, which has it too, is not part of a page.
    if let failure = report.failure { page += ReportBody([.line("\(failure.message, .strong)")]) }
    page += (report.conclusion + report.body).mappingTexts(complete)
    return render(page, title: report.title)
  }

  package func render(_ body: ReportBody, title: StyledText?) -> MarkdownText {
    var text: MarkdownText = title.map { "### \(inline($0))\n\n" } ?? ""
    let parts = parts(body)
    var room = maxBytes - text.description.utf8.count - 200
    for (place, part) in parts.enumerated() {
      room -= part.description.utf8.count
      guard room >= 0 else {
        let left = parts[place...].count { $0 != "\n" }
        return text
          + "\n**\(counted(left, "part")) of this report left out, to keep it short.** The JSON result has all.\n"
      }
      text += part
    }
    return text
  }

  /// What can be left out as a whole: a line of a list or table, or a folded section.
  private func parts(_ body: ReportBody) -> [MarkdownText] {
    var parts: [MarkdownText] = []
    var isInList = false
    for block in body.blocks {
      let isItem = if case .item = block { true } else { false }
      if isInList, !isItem { parts.append("\n") }
      isInList = isItem
      parts += render(block)
    }
    return isInList ? parts + ["\n"] : parts
  }

  private func render(_ block: ReportBody.Block) -> [MarkdownText] {
    switch block {
    case .line(let text): return text.isEmpty ? [] : ["\(inline(text))\n\n"]
    case .item(let item): return [list(item.mark, item.text, item.details)]
    case .table(let table): return lines(of: table) + ["\n"]
    case .findings(let findings): return findings.sortedForReading().map(finding) + ["\n"]
    case .section(let section): return parts(of: section)
    case .document(let text): return ["```\n\(verbatim: text.replacing("```", with: "'''"))\n```\n\n"]
    case .space: return []
    }
  }

  private func parts(of section: Section) -> [MarkdownText] {
    let content = parts(section.body)
    let lines = content.joined().description.utf8.count { $0 == UInt8(ascii: "\n") }
    guard section.folds, lines > Self.maxOpenLines else {
      return ["#### \(inline(section.heading))\n\n"] + content
    }
    return [
      "<details><summary><b>\(html: section.heading.plain)</b></summary>\n\n\(content.joined())\n</details>\n\n"
    ]
  }

  private func list(_ mark: ListItem.Mark?, _ text: StyledText, _ details: [StyledText]) -> MarkdownText {
    let sign: MarkdownText = mark.map { "\(code: $0.rawValue) " } ?? ""
    return "- \(sign)\(inline(text))\n" + details.map { "  - \(inline($0))\n" as MarkdownText }.joined()
  }

  private func finding(_ finding: Diagnostic) -> MarkdownText {
    let message = (finding.range?.prefix ?? "") + finding.message
    return list(
      nil, "\(finding.severity.rawValue, .strong) \(finding.code, .code): \(message)",
      finding.help.map { [StyledText($0)] } ?? [])
  }

  private func lines(of table: Table) -> [MarkdownText] {
    let head = table.columns.map { "\($0.title)" as MarkdownText }
    let rule = table.columns.map { $0.alignment == .right ? "---:" : "---" as MarkdownText }
    let rows = table.rows.map { row in
      var cells = table.cells(of: row).map { inline($0, isCell: true) }
      for detail in row.details { cells[min(1, cells.count - 1)] += "<br>\(inline(detail, isCell: true))" }
      return cells
    }
    let lines = ([head, rule] + rows).map { "| \($0.joined(separator: " | ")) |\n" as MarkdownText }
    return [lines[0] + lines[1]] + lines.dropFirst(2)
  }

  /// - Parameter isCell: in a table, where GitHub splits the cells first.
  private func inline(_ text: StyledText, isCell: Bool = false) -> MarkdownText {
    text.spans.map { span -> MarkdownText in
      switch span.style {
      case .code: isCell ? "\(tableCode: span.text)" : "\(code: span.text)"
      case .strong where !span.text.isEmpty: "**\(span.text)**"
      default: "\(span.text)"
      }
    }.joined()
  }
}
